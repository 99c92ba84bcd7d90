import { Button, PasswordInput, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CallForm } from '../parts/call-form.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useOwner } from '../shell/owner.ts';
import { placeOf } from './place.ts';
import { type Preset, presets, readPreset, socials } from './social.ts';

/** Adds a button to the sign-in page. The choice of the provider is in the address. */
export function SocialPage() {
  const { t } = useTexts();
  const place = placeOf(useOwner());
  const { preset } = readPreset(useSearch({ strict: false }));
  const nameOf = (one: Preset) => socials[one].name || t('signon.other');
  return (
    <Page
      title={preset ? nameOf(preset) : t('signon.addProvider')}
      back={{ to: preset ? `${place}/new` : place, text: t('signon.social') }}
      description={t('signon.socialSetup')}
    >
      {preset ? (
        <SocialForm key={preset} preset={preset} />
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {presets.map((one) => (
            <Button
              key={one}
              component={Link}
              to={`${place}/new?preset=${one}`}
              variant="default"
              size="lg"
              justify="start"
            >
              {nameOf(one)}
            </Button>
          ))}
        </SimpleGrid>
      )}
    </Page>
  );
}

type Fields = {
  name: string;
  issuer: string;
  client: string;
  secret: string;
  keyId: string;
  teamId: string;
};

/** Which fields a preset needs; those that the preset knows are not asked for. */
const needs = (preset: Preset, field: keyof Fields): boolean => {
  if (field === 'issuer') return preset === 'other';
  if (field === 'keyId' || field === 'teamId') return preset === 'apple';
  return true;
};

function SocialForm({ preset }: { preset: Preset }) {
  const { t } = useTexts();
  const place = placeOf(useOwner());
  const navigate = useNavigate();
  const { name, kind, console: registry = '' } = socials[preset];
  const initial: Fields = { name, issuer: '', client: '', secret: '', keyId: '', teamId: '' };
  return (
    <CallForm
      operation="Sso_SaveProvider"
      initial={initial}
      check={(fields) =>
        Object.fromEntries(
          (Object.keys(fields) as Array<keyof Fields>)
            .filter((field) => needs(preset, field) && fields[field].trim() === '')
            .map((field) => [field, t('signon.fieldMissing')]),
        )
      }
      toRequest={(fields) => requestOf(preset, kind, fields)}
      stale={['Sso_ListProviders']}
      onDone={({ Provider }) => void navigate({ to: `${place}/${Provider.ID}` })}
      submit={t('signon.saveProvider')}
    >
      {(form) => <SocialFields form={form} preset={preset} registry={registry} />}
    </CallForm>
  );
}

function requestOf(preset: Preset, Kind: string, fields: Fields) {
  const issuer = fields.issuer.trim();
  return {
    Provider: {
      Kind,
      Name: fields.name.trim(),
      ClientID: fields.client.trim(),
      ...(preset !== 'other' && { Preset: preset }),
      ...(issuer !== '' && { Issuer: issuer }),
      ...(preset === 'apple' && { KeyID: fields.keyId.trim(), TeamID: fields.teamId.trim() }),
    },
    ...(preset === 'apple' ? { PrivateKey: fields.secret } : { Secret: fields.secret }),
  };
}

type FieldsProps = { form: UseFormReturnType<Fields>; preset: Preset; registry: string };

function SocialFields({ form, preset, registry }: FieldsProps) {
  const { t } = useTexts();
  const plain = { autoComplete: 'off', spellCheck: false } as const;
  return (
    <>
      <TextInput
        {...form.getInputProps('name')}
        label={t('signon.name')}
        description={t('signon.nameAbout')}
        maxLength={128}
      />
      {(preset === 'other' || preset === 'microsoft') && (
        <TextInput
          {...form.getInputProps('issuer')}
          {...plain}
          label="Issuer"
          {...(preset === 'microsoft' && { description: t('signon.microsoftIssuer') })}
          placeholder={
            preset === 'other'
              ? 'https://id.example.com'
              : 'https://login.microsoftonline.com/common/v2.0'
          }
        />
      )}
      <TextInput
        {...form.getInputProps('client')}
        {...plain}
        label={preset === 'apple' ? 'Services ID' : 'Client ID'}
        {...(registry !== '' && { description: registry })}
      />
      {preset === 'apple' ? (
        <>
          <TextInput {...form.getInputProps('keyId')} {...plain} label="Key ID" />
          <TextInput {...form.getInputProps('teamId')} {...plain} label="Team ID" />
          <Textarea
            {...form.getInputProps('secret')}
            label={t('signon.privateKey')}
            description={t('signon.secretAbout')}
            autosize
            minRows={3}
            maxRows={8}
            spellCheck={false}
          />
        </>
      ) : (
        <PasswordInput
          {...form.getInputProps('secret')}
          label="Client secret"
          description={t('signon.secretAbout')}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': t('signon.showSecret'), tabIndex: 0 }}
        />
      )}
    </>
  );
}
