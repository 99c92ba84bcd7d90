import { FileInput, PasswordInput, TextInput } from '@mantine/core';
import { CallForm } from '../parts/call-form.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import type { Setup } from './setups.ts';

type Props = {
  /** The reserved ID. */
  id: string;
  name: string;
  setup: Setup;
  onDone: (provider: string) => void;
};

const stale = ['Sso_ListProviders'] as const;

function NameField(props: object) {
  const { t } = useTexts();
  return (
    <TextInput
      {...props}
      label={t('signon.name')}
      description={t('signon.nameAbout')}
      maxLength={200}
      autoComplete="off"
    />
  );
}

/** Adds a provider that speaks OpenID Connect. */
export function OidcForm({ id, name, setup, onDone }: Props) {
  const { t } = useTexts();
  const { ID } = useTenant();
  const example = setup.issuer ?? '';
  // Google has one issuer for all, and others have one for each organisation.
  const isFixed = example === 'https://accounts.google.com';
  const missing = (text: string) => (text.trim() === '' ? t('signon.fieldMissing') : null);
  return (
    <CallForm
      operation="Sso_SaveProvider"
      initial={{ name, issuer: isFixed ? example : '', client: '', secret: '' }}
      check={({ name, issuer, client, secret }) => ({
        name: missing(name),
        issuer: missing(issuer),
        client: missing(client),
        secret: missing(secret),
      })}
      toRequest={({ name, issuer, client, secret }) => ({
        Provider: {
          Tenant: ID,
          ID: id,
          Kind: 'oidc',
          // A passed test comes first.
          Active: false,
          Name: name.trim(),
          Issuer: issuer.trim(),
          ClientID: client.trim(),
          ...(setup.attributes && { AttributeMap: setup.attributes }),
        },
        Secret: secret,
      })}
      stale={stale}
      onDone={({ Provider }) => onDone(Provider.ID)}
      submit={t('signon.saveProvider')}
    >
      {(form) => (
        <>
          <NameField {...form.getInputProps('name')} />
          <TextInput
            {...form.getInputProps('issuer')}
            label="Issuer"
            placeholder={example}
            type="url"
            autoComplete="off"
            spellCheck={false}
          />
          <TextInput
            {...form.getInputProps('client')}
            label="Client ID"
            autoComplete="off"
            spellCheck={false}
          />
          <SecretField {...form.getInputProps('secret')} />
        </>
      )}
    </CallForm>
  );
}

function SecretField(props: object) {
  const { t } = useTexts();
  return (
    <PasswordInput
      {...props}
      label="Client secret"
      description={t('signon.secretAbout')}
      autoComplete="off"
      visibilityToggleButtonProps={{ 'aria-label': t('signon.showSecret'), tabIndex: 0 }}
    />
  );
}

/** Adds a provider that speaks SAML, from its metadata. */
export function SamlForm({ id, name, onDone }: Props) {
  const { t } = useTexts();
  const { ID } = useTenant();
  return (
    <CallForm
      operation="Sso_SaveProvider"
      initial={{ name, url: '', xml: '' }}
      check={({ name, url, xml }) => ({
        name: name.trim() === '' ? t('signon.fieldMissing') : null,
        url: url.trim() === '' && xml === '' ? t('signon.metadataMissing') : null,
      })}
      toRequest={({ name, url, xml }) => ({
        Provider: { Tenant: ID, ID: id, Kind: 'saml', Name: name.trim(), Active: false },
        ...(xml === '' ? { MetadataURL: url.trim() } : { MetadataXML: xml }),
      })}
      stale={stale}
      onDone={({ Provider }) => onDone(Provider.ID)}
      submit={t('signon.saveProvider')}
    >
      {(form) => (
        <>
          <NameField {...form.getInputProps('name')} />
          <TextInput
            {...form.getInputProps('url')}
            label={t('signon.metadataUrl')}
            placeholder="https://id.example.com/metadata"
            type="url"
            autoComplete="off"
            spellCheck={false}
          />
          <FileInput
            label={t('signon.metadataFile')}
            placeholder={t('signon.chooseFile')}
            accept=".xml,application/xml,text/xml,application/samlmetadata+xml"
            styles={{ placeholder: { color: 'var(--mantine-color-dimmed)' } }}
            clearable
            clearButtonProps={{ 'aria-label': t('signon.removeFile') }}
            onChange={(file) => {
              if (!file) form.setFieldValue('xml', '');
              else void file.text().then((text) => form.setFieldValue('xml', text));
            }}
          />
        </>
      )}
    </CallForm>
  );
}
