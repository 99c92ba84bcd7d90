import type { ResponseOf } from '@bailiwick/client/client.ts';
import { NativeSelect, SimpleGrid, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { FormDialog } from '../parts/form-dialog.tsx';
import { languageName } from '../parts/language-name.ts';
import { locales, useTexts } from '../parts/texts.tsx';
import { ReasonFields } from './reason-fields.tsx';

type User = ResponseOf<'Users_Get'>['User'];

/** The details of a user that an operator writes. */
type Details = Pick<User, 'Name' | 'GivenName' | 'FamilyName' | 'Locale' | 'ExternalID'>;

type NewProps = { onDone: (id: string) => void; onClose: () => void };

/** Creates an account for an address that the operator vouches for. */
export function NewUser({ onDone, onClose }: NewProps) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t('platform.newUser')}
      operation="Users_Create"
      initial={{ Email: '', Name: '', GivenName: '', FamilyName: '', Locale: '', ExternalID: '' }}
      check={({ Email }) => ({ Email: Email.includes('@') ? null : t('platform.addressMissing') })}
      toRequest={({ Email, ...details }) => ({ User: { Email: Email.trim(), ...details } })}
      stale={['Users_List']}
      notice={(_response, { Email }) => t('platform.userCreated', { person: Email })}
      onDone={({ User }) => onDone(User.ID)}
      onClose={onClose}
      submit={t('platform.newUser')}
      size="lg"
    >
      {(form) => (
        <>
          <Text size="sm">{t('platform.newUserAbout')}</Text>
          <TextInput
            {...form.getInputProps('Email')}
            label={t('platform.mailQuery')}
            type="email"
            autoComplete="off"
            data-autofocus
          />
          <DetailFields form={form} locale="" />
        </>
      )}
    </FormDialog>
  );
}

/** Changes the details of another user, for a reason that this user gets by mail. */
export function EditUser({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTexts();
  const { ID, Email, Name, GivenName, FamilyName, Locale, ExternalID } = user;
  return (
    <FormDialog
      title={t('platform.editUser')}
      operation="Users_Update"
      initial={{ Name, GivenName, FamilyName, Locale, ExternalID, reason: '' }}
      check={({ reason }) => ({
        reason: reason.trim() === '' ? t('support.reasonMissing') : null,
      })}
      toRequest={({ reason, ...details }) => ({ User: { ID, ...details }, Reason: reason.trim() })}
      stale={['Users_Get', 'Users_List', 'Audit_ListByUser']}
      notice={t('platform.userSaved', { person: Email })}
      onClose={onClose}
      submit={t('form.save')}
      size="lg"
    >
      {(form) => (
        <>
          <DetailFields form={form} locale={Locale} />
          <ReasonFields {...form.getInputProps('reason')} notice={t('platform.actMailed')} />
        </>
      )}
    </FormDialog>
  );
}

type FieldsProps<Fields extends Details> = { form: UseFormReturnType<Fields>; locale: string };

function DetailFields<Fields extends Details>({ form, locale }: FieldsProps<Fields>) {
  const { t } = useTexts();
  // A language that the pages do not have stays as it is.
  const choices = locale === '' || locales.includes(locale) ? locales : [...locales, locale];
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput {...form.getInputProps('Name')} label={t('account.name')} maxLength={128} />
      <NativeSelect
        {...form.getInputProps('Locale')}
        label={t('account.language')}
        data={[
          { value: '', label: t('account.anyLanguage') },
          ...choices.map((choice) => ({ value: choice, label: languageName(choice) })),
        ]}
      />
      <TextInput
        {...form.getInputProps('GivenName')}
        label={t('account.givenName')}
        maxLength={128}
      />
      <TextInput
        {...form.getInputProps('FamilyName')}
        label={t('account.familyName')}
        maxLength={128}
      />
      <TextInput
        {...form.getInputProps('ExternalID')}
        label={t('import.externalId')}
        maxLength={256}
      />
    </SimpleGrid>
  );
}
