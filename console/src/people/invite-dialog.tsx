import { MultiSelect, TextInput } from '@mantine/core';
import { useAll } from '../parts/calls.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

/** Invites one person. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const { ID, Name } = useTenant();
  const choices = useRoleChoices();
  return (
    <FormDialog
      onClose={onClose}
      title={t('people.inviteTo', { tenant: Name })}
      operation="TenantInvitations_Create"
      initial={{ email: '', roles: [] as string[] }}
      check={({ email }) => ({
        email: /^[^\s@]+@[^\s@]+$/.test(email.trim()) ? null : t('people.emailMissing'),
      })}
      toRequest={({ email, roles }) => ({
        Tenant: ID,
        Email: email.trim(),
        ...(roles.length > 0 && { Roles: roles }),
      })}
      stale={['TenantInvitations_List']}
      notice={(_, { email }) => t('people.invited', { email: email.trim() })}
      submit={t('people.send')}
    >
      {(form) => (
        <>
          <TextInput
            {...form.getInputProps('email')}
            label={t('people.email')}
            type="email"
            inputMode="email"
            autoComplete="off"
            data-autofocus
          />
          {choices && (
            <MultiSelect
              {...form.getInputProps('roles')}
              label={t('people.roles')}
              description={t('people.rolesAbout')}
              data={choices}
              clearable
              searchable
              comboboxProps={{ withinPortal: true }}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

/** The roles of the tenant; undefined if the user may not read them. */
function useRoleChoices() {
  const { ID, may } = useTenant();
  const request = { Tenant: ID, Page: { Limit: 200 } };
  const { data } = useAll('Roles_ListByTenant', request, { enabled: may('iam.roles.read') });
  return data?.map(({ Slug, Name }) => ({ value: Slug, label: Name || Slug }));
}
