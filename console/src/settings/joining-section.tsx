import { NativeSelect, TagsInput } from '@mantine/core';
import { useAll } from '../parts/calls.ts';
import { Card } from '../parts/card.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import type { SectionProps } from './fields.ts';

/** The roles of the tenant as choices. The stored one is a choice also if the roles cannot be read. */
function useRoles(stored: string) {
  const { t } = useTexts();
  const { ID: Tenant, may } = useTenant();
  const { data } = useAll('Roles_ListByTenant', { Tenant }, { enabled: may('iam.roles.read') });
  const roles = (data ?? []).map(({ Slug, Name }) => ({ value: Slug, label: Name || Slug }));
  const isListed = stored === '' || roles.some(({ value }) => value === stored);
  return [
    { value: '', label: t('settings.default', { value: 'member' }) },
    ...roles,
    ...(isListed ? [] : [{ value: stored, label: stored }]),
  ];
}

/** Who can be invited, and what new members may do. */
export function JoiningSection({ tenant, form, labels }: SectionProps) {
  const { t } = useTexts();
  const roles = useRoles(tenant.Settings.DefaultRole);
  return (
    <Card title={t('settings.joining')} description={t('settings.joiningAbout')}>
      <TagsInput
        {...form.getInputProps('domains')}
        label={labels.domains}
        description={t('settings.domainsAbout')}
        splitChars={[' ', ',']}
        acceptValueOnBlur
      />
      <NativeSelect
        {...form.getInputProps('role')}
        label={labels.role}
        description={t('settings.roleAbout')}
        data={roles}
      />
    </Card>
  );
}
