import { NativeSelect, Paper, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { CallForm } from '../parts/call-form.tsx';
import { languageName } from '../parts/language-name.ts';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { locales, useTexts } from '../parts/texts.tsx';
import { useAccount } from '../shell/session.tsx';
import { Address } from './address.tsx';

export function ProfilePage() {
  const { t } = useTexts();
  return (
    <Page title={t('account.profile')} description={t('account.profileAbout')}>
      <Paper withBorder p="lg">
        <Stack>
          <Address />
          <ProfileForm />
        </Stack>
      </Paper>
    </Page>
  );
}

function ProfileForm() {
  const { t } = useTexts();
  const notify = useNotify();
  const { User } = useAccount();
  const { Name, GivenName, FamilyName, Locale } = User;
  // A language that the pages do not have stays as it is.
  const choices = Locale === '' || locales.includes(Locale) ? locales : [...locales, Locale];
  return (
    <CallForm
      operation="Account_Update"
      initial={{ Name, GivenName, FamilyName, Locale }}
      toRequest={(fields) => ({ User: fields })}
      stale={['Account_Get', 'Users_Get']}
      onDone={() => notify(t('account.saved'))}
      submit={t('form.save')}
    >
      {(form) => (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            {...form.getInputProps('Name')}
            label={t('account.name')}
            maxLength={200}
            autoComplete="name"
          />
          <NativeSelect
            {...form.getInputProps('Locale')}
            label={t('account.language')}
            data={[
              { value: '', label: t('account.anyLanguage') },
              ...choices.map((locale) => ({ value: locale, label: languageName(locale) })),
            ]}
          />
          <TextInput
            {...form.getInputProps('GivenName')}
            label={t('account.givenName')}
            maxLength={200}
            autoComplete="given-name"
          />
          <TextInput
            {...form.getInputProps('FamilyName')}
            label={t('account.familyName')}
            maxLength={200}
            autoComplete="family-name"
          />
        </SimpleGrid>
      )}
    </CallForm>
  );
}
