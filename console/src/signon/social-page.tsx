import {
  Anchor,
  Button,
  Paper,
  PasswordInput,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { CallForm } from '../parts/call-form.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { ValuesToCopy } from '../parts/values-to-copy.tsx';
import { useOwner } from '../shell/owner.ts';
import { placeOf } from './place.ts';
import { useReservation } from './reservation.ts';
import { type Preset, type PresetSearch, presets, readPreset, socials } from './social.ts';

/** Adds a button to the sign-in page. The choices are in the address. */
export function SocialPage() {
  const { t } = useTexts();
  const place = placeOf(useOwner());
  const { preset, id } = readPreset(useSearch({ strict: false }));
  const nameOf = (one: Preset) => socials[one].name || t('signon.other');
  return (
    <Page
      title={preset ? nameOf(preset) : t('signon.addProvider')}
      back={{ to: preset ? `${place}/new` : place, text: t('signon.social') }}
      description={t('signon.setupAbout')}
    >
      {preset ? (
        <Steps preset={preset} name={nameOf(preset)} id={id} />
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

type StepsProps = { preset: Preset; name: string; id: string | undefined };

function Steps({ preset, name, id }: StepsProps) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const show = useCallback(
    (reserved?: string) => {
      const search: PresetSearch = { preset, ...(reserved && { id: reserved }) };
      void navigate({ to: '.', search: search as never, replace: true });
    },
    [navigate, preset],
  );
  const { addresses, error, retry, open } = useReservation({ tenant: '', id, show });
  const place = placeOf(useOwner());
  if (error) return <FailureNotice error={error} onRetry={retry} />;
  if (!addresses) return <Skeleton height={240} aria-busy="true" />;
  const { console: registry, redirect } = socials[preset];
  return (
    <Stack>
      <Paper withBorder p="lg">
        <Title order={2} size="h4" mb="sm">
          {t('signon.stepThere', { name })}
        </Title>
        {registry !== undefined && (
          <Anchor href={registry} target="_blank" rel="noreferrer" display="block" mb="sm">
            {registry}
          </Anchor>
        )}
        <Text mb="xs">{t('signon.setupEnter')}</Text>
        <ValuesToCopy values={[{ name: redirect, value: addresses.RedirectURI }]} />
      </Paper>
      <Paper withBorder p="lg">
        <Title order={2} size="h4" mb="sm">
          {t('signon.stepHere')}
        </Title>
        <SocialForm
          key={preset}
          preset={preset}
          id={addresses.ID}
          onDone={(provider) => void open(`${place}/${provider}`)}
        />
      </Paper>
    </Stack>
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

type FormProps = { preset: Preset; id: string; onDone: (provider: string) => void };

function SocialForm({ preset, id, onDone }: FormProps) {
  const { t } = useTexts();
  const { name } = socials[preset];
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
      toRequest={(fields) => requestOf(id, preset, fields)}
      stale={['Sso_ListProviders']}
      onDone={({ Provider }) => onDone(Provider.ID)}
      submit={t('signon.saveProvider')}
    >
      {(form) => <SocialFields form={form} preset={preset} />}
    </CallForm>
  );
}

function requestOf(id: string, preset: Preset, fields: Fields) {
  const issuer = fields.issuer.trim();
  return {
    Provider: {
      ID: id,
      Kind: socials[preset].kind,
      Name: fields.name.trim(),
      ClientID: fields.client.trim(),
      ...(preset !== 'other' && { Preset: preset }),
      ...(issuer !== '' && { Issuer: issuer }),
      ...(preset === 'apple' && { KeyID: fields.keyId.trim(), TeamID: fields.teamId.trim() }),
    },
    ...(preset === 'apple' ? { PrivateKey: fields.secret } : { Secret: fields.secret }),
  };
}

type FieldsProps = { form: UseFormReturnType<Fields>; preset: Preset };

function SocialFields({ form, preset }: FieldsProps) {
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
