import type { ItemOf } from '@bailiwick/client/client.ts';
import { PasswordInput, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { client } from '../parts/calls.ts';
import { EditForm, ifUnchanged } from '../parts/edit-form.tsx';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { useOwner } from '../shell/owner.ts';

type Provider = ItemOf<'Sso_ListProviders'>;

const fieldsOf = ({ Name, Issuer, ClientID, ...saml }: Provider) => ({
  name: Name,
  issuer: Issuer,
  client: ClientID,
  secret: '',
  metadata: saml.MetadataURL,
  encrypted: saml.WantEncrypted,
  asks: saml.CertificateChanges === 'ask',
});
type Fields = ReturnType<typeof fieldsOf>;

/** How the service reaches the provider, and what the sign-in page calls it. */
export function ConnectionForm({ provider }: { provider: Provider }) {
  const { t } = useTexts();
  const notify = useNotify();
  const { scope } = useOwner();
  const { ID, Kind } = provider;
  const isSaml = Kind === 'saml';
  // Apple's secrets are signed with a private key, which comes with an ID of its own.
  const hasSecret = provider.Preset !== 'apple';
  const labels = {
    name: t('signon.name'),
    issuer: 'Issuer',
    client: 'Client ID',
    secret: t('signon.newSecret'),
    metadata: t('signon.metadataUrl'),
    encrypted: t('signon.encrypted'),
    asks: t('signon.askCertificates'),
  };
  const needed = (text: string) => (text.trim() === '' ? t('signon.fieldMissing') : null);
  return (
    <EditForm
      operation="Sso_SaveProvider"
      record={provider}
      fieldsOf={fieldsOf}
      check={({ name, issuer, client }) => ({
        name: needed(name),
        ...(!isSaml && { issuer: needed(issuer), client: needed(client) }),
      })}
      toRequest={({ name, issuer, client, secret, metadata, encrypted, asks }, base) => ({
        Provider: {
          ...scope,
          ID,
          Name: name.trim(),
          ...(isSaml
            ? {
                WantEncrypted: encrypted,
                MetadataURL: metadata.trim(),
                CertificateChanges: asks ? 'ask' : 'auto',
              }
            : { Issuer: issuer.trim(), ClientID: client.trim() }),
        },
        ...(secret !== '' && { Secret: secret }),
        ...ifUnchanged(base),
      })}
      read={async () => (await client.call('Sso_GetProvider', { ...scope, ID })).Provider}
      recordIn={({ Provider }) => Provider}
      labels={labels}
      stale={['Sso_GetProvider', 'Sso_ListProviders']}
      onDone={({ Provider }) => notify(t('signon.saved', { name: Provider.Name }))}
      submit={t('form.save')}
    >
      {(form) => (
        <ConnectionFields form={form} labels={labels} isSaml={isSaml} hasSecret={hasSecret} />
      )}
    </EditForm>
  );
}

type FieldsProps = {
  form: UseFormReturnType<Fields>;
  labels: Record<keyof Fields, string>;
  isSaml: boolean;
  hasSecret: boolean;
};

function ConnectionFields({ form, labels, isSaml, hasSecret }: FieldsProps) {
  const { t } = useTexts();
  const plain = { autoComplete: 'off', spellCheck: false } as const;
  return (
    <>
      <TextInput
        {...form.getInputProps('name')}
        label={labels.name}
        description={t('signon.nameAbout')}
        maxLength={128}
      />
      {isSaml ? (
        <>
          <TextInput
            {...form.getInputProps('metadata')}
            {...plain}
            label={labels.metadata}
            description={t('signon.metadataDaily')}
            inputMode="url"
          />
          <Switch
            {...form.getInputProps('asks', { type: 'checkbox' })}
            label={labels.asks}
            description={t('signon.askCertificatesAbout')}
          />
          <Switch
            {...form.getInputProps('encrypted', { type: 'checkbox' })}
            label={labels.encrypted}
            description={t('signon.encryptedAbout')}
          />
        </>
      ) : (
        <>
          <TextInput
            {...form.getInputProps('issuer')}
            {...plain}
            label={labels.issuer}
            description={t('signon.issuerChange')}
          />
          <TextInput {...form.getInputProps('client')} {...plain} label={labels.client} />
          {hasSecret && (
            <PasswordInput
              {...form.getInputProps('secret')}
              label={labels.secret}
              description={t('signon.newSecretAbout')}
              autoComplete="off"
              visibilityToggleButtonProps={{ 'aria-label': t('signon.showSecret'), tabIndex: 0 }}
            />
          )}
        </>
      )}
    </>
  );
}
