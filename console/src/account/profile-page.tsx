import {
  Badge,
  Button,
  Group,
  NativeSelect,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { CallForm } from '../parts/call-form.tsx';
import { Id } from '../parts/copy.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { languageName } from '../parts/language-name.ts';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { pageAt } from '../parts/place.ts';
import { locales, useTexts } from '../parts/texts.tsx';
import { useAccount } from '../shell/session.tsx';

/** The user's own profile, and the ways to sign in. */
export function ProfilePage() {
  const { t } = useTexts();
  return (
    <Page title={t('account.profile')} about={t('account.profileAbout')}>
      <Paper withBorder p="lg">
        <Stack>
          <Address />
          <ProfileForm />
        </Stack>
      </Paper>
      <Title order={2} size="h3">
        {t('account.signIn')}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Way icon="key" title={t('account.passkeys')} about={t('account.passkeysAbout')}>
          <Button component="a" href={pageAt('passkeys')} variant="default">
            {t('account.passkeysGo')}
          </Button>
        </Way>
        <Way icon="shield" title={t('account.factors')} about={t('account.factorsAbout')}>
          <Button component="a" href={pageAt('factors')} variant="default">
            {t('account.factorsGo')}
          </Button>
        </Way>
      </SimpleGrid>
    </Page>
  );
}

function Address() {
  const { t } = useTexts();
  const { User } = useAccount();
  return (
    <Group gap="xs" justify="space-between">
      <Group gap="xs">
        <Text fw={500}>{User.Email}</Text>
        <Badge color={User.EmailVerified ? 'teal.9' : 'orange.9'} tt="none">
          {t(User.EmailVerified ? 'account.verified' : 'account.unverified')}
        </Badge>
      </Group>
      <Id id={User.ID} />
    </Group>
  );
}

function ProfileForm() {
  const { t } = useTexts();
  const notify = useNotify();
  const { User } = useAccount();
  const { Name, GivenName, FamilyName, Locale } = User;
  // A language that the pages do not have stays as it is.
  const known = Locale === '' || locales.includes(Locale) ? locales : [...locales, Locale];
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
              ...known.map((value) => ({ value, label: languageName(value) })),
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

type WayProps = { icon: IconName; title: string; about: string; children: ReactNode };

const Way = ({ icon, title, about, children }: WayProps) => (
  <Paper withBorder p="lg">
    <Stack gap="xs" h="100%">
      <Group gap="xs">
        <Icon name={icon} />
        <Title order={3} size="h4">
          {title}
        </Title>
      </Group>
      <Text c="dimmed" flex={1}>
        {about}
      </Text>
      <div>{children}</div>
    </Stack>
  </Paper>
);
