import { TagsInput, TextInput } from '@mantine/core';
import { useTexts } from '../parts/texts.tsx';
import { type FullTenant, TenantForm } from './tenant-form.tsx';

const fieldsOf = ({ Settings }: FullTenant) => ({
  domains: [...Settings.InviteDomains],
  role: Settings.DefaultRole,
});

/** Who can be invited, and what new members may do. */
export function JoiningSection({ tenant }: { tenant: FullTenant }) {
  const { t } = useTexts();
  const labels = { domains: t('settings.domains'), role: t('settings.role') };
  return (
    <TenantForm
      tenant={tenant}
      title={t('settings.joining')}
      description={t('settings.joiningAbout')}
      fieldsOf={fieldsOf}
      toChange={({ domains, role }) => ({
        Settings: { InviteDomains: domains, DefaultRole: role.trim() },
      })}
      labels={labels}
    >
      {(form) => (
        <>
          <TagsInput
            {...form.getInputProps('domains')}
            label={labels.domains}
            description={t('settings.domainsAbout')}
            splitChars={[' ', ',']}
            acceptValueOnBlur
          />
          <TextInput
            {...form.getInputProps('role')}
            label={labels.role}
            description={t('settings.roleAbout')}
            placeholder="member"
            autoComplete="off"
            spellCheck={false}
          />
        </>
      )}
    </TenantForm>
  );
}
