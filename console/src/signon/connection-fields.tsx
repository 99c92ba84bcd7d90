import { PasswordInput, Switch, TextInput } from '@mantine/core';
import { useTexts } from '../parts/texts.tsx';
import type { FieldsProps } from './provider-fields.ts';

/** How the service reaches the provider, and what the sign-in page calls it. */
export function ConnectionFields({ provider, form, labels }: FieldsProps) {
  const { t } = useTexts();
  const isSaml = provider.Kind === 'saml';
  // Apple's secrets are signed with a private key, which comes with an ID of its own.
  const hasSecret = provider.Preset !== 'apple';
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
