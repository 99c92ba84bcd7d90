import { NativeSelect, Paper, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { client } from '../parts/calls.ts';
import { EditForm } from '../parts/edit-form.tsx';
import { languageName } from '../parts/language-name.ts';
import { differing } from '../parts/merge.ts';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { locales, useTexts } from '../parts/texts.tsx';
import { type Account, useAccount } from '../shell/session.tsx';
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

const fieldsOf = ({ Name, GivenName, FamilyName, Locale }: Account['User']) => ({
  Name,
  GivenName,
  FamilyName,
  Locale,
});

function ProfileForm() {
  const { t } = useTexts();
  const notify = useNotify();
  const { User } = useAccount();
  const { Locale } = User;
  // A language that the pages do not have stays as it is.
  const choices = Locale === '' || locales.includes(Locale) ? locales : [...locales, Locale];
  return (
    <EditForm
      operation="Account_Update"
      record={User}
      fieldsOf={fieldsOf}
      toRequest={(fields, base) => ({ User: differing(fields, fieldsOf(base)) })}
      read={async () => (await client.call('Account_Get', {})).User}
      recordIn={(response) => response.User}
      labels={{
        Name: t('account.name'),
        GivenName: t('account.givenName'),
        FamilyName: t('account.familyName'),
        Locale: t('account.language'),
      }}
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
    </EditForm>
  );
}
