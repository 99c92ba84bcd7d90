import type { RequestOf } from '@bailiwick/client/client.ts';
import { Select, TagsInput, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useAll, useCall } from '../../parts/calls.ts';
import { usePermissions, usePlatformPermissions } from '../../parts/permissions.ts';
import { useTexts } from '../../parts/texts.tsx';

/** The membership that every user of the file gets. */
export type Membership =
  | NonNullable<NonNullable<RequestOf<'Users_Import'>['Users']>[number]['Tenants']>[number]
  | undefined;

type Props = { value: Membership; onChange: (value: Membership) => void };

/** The tenant of the users, with roles and groups there. */
export function MembershipFields({ value, onChange }: Props) {
  const { may } = usePlatformPermissions();
  const setTenant = (Tenant: string) =>
    onChange(Tenant === '' ? undefined : { Tenant, Roles: [], Groups: [] });
  const field = { value: value?.Tenant ?? '', onChange: setTenant };
  return (
    <>
      {may('iam.platform.tenants.read') ? <TenantSelect {...field} /> : <TenantId {...field} />}
      {value && <RoleFields value={value} onChange={onChange} />}
    </>
  );
}

type TenantProps = { value: string; onChange: (tenant: string) => void };

function TenantSelect({ value, onChange }: TenantProps) {
  const { t } = useTexts();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<{ value: string; label: string }>();
  const [typed] = useDebouncedValue(text.trim().slice(0, 128), 150);
  // The label of the chosen tenant is no text to search for.
  const Query = typed === chosen?.label ? '' : typed;
  const request = { ...(Query !== '' && { Query }), Status: 'active', Page: { Limit: 25 } };
  const { data } = useCall('Tenants_List', request, { keepsPrevious: true });
  const options = (data?.Page.Items ?? []).map(({ ID, Name, Slug }) => ({
    value: ID,
    label: `${Name} (${Slug})`,
  }));
  const isFound = options.some((one) => one.value === chosen?.value);
  return (
    <Select
      label={t('import.tenant')}
      description={t('import.tenantAbout')}
      data={chosen && !isFound ? [chosen, ...options] : options}
      value={value === '' ? null : value}
      onChange={(next, option) => {
        setChosen(option ?? undefined);
        onChange(next ?? '');
      }}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('import.removeTenant') }}
      onSearchChange={setText}
      filter={({ options }) => options}
      maw={420}
    />
  );
}

/** For operators who may not list the tenants. */
function TenantId({ value, onChange }: TenantProps) {
  const { t } = useTexts();
  return (
    <TextInput
      label={t('import.tenant')}
      description={t('import.tenantAbout')}
      placeholder="tnt_…"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.trim())}
      autoComplete="off"
      spellCheck={false}
      maw={420}
    />
  );
}

type RoleProps = { value: NonNullable<Membership>; onChange: (value: Membership) => void };

function RoleFields({ value, onChange }: RoleProps) {
  const { t } = useTexts();
  const { Tenant, Roles = [], Groups = [] } = value;
  // An operator may be typing the ID.
  const { may } = usePermissions(/^tnt_[0-9a-z]{26}$/.test(Tenant) ? Tenant : '');
  const roles = useAll(
    'Roles_ListByTenant',
    { Tenant, Page: { Limit: 200 } },
    { enabled: may('iam.roles.read') },
  );
  const groups = useCall(
    'Groups_ListByTenant',
    { Tenant, Sort: 'name', Page: { Limit: 200 } },
    { enabled: may('iam.groups.read') },
  );
  return (
    <>
      <TagsInput
        label={t('import.roles')}
        description={t('import.rolesAbout')}
        data={roles.data?.map(({ Slug }) => Slug) ?? []}
        value={[...Roles]}
        onChange={(next) => onChange({ ...value, Roles: next })}
        splitChars={[',', ' ']}
      />
      <TagsInput
        label={t('import.groups')}
        description={t('import.groupsAbout')}
        data={groups.data?.Page.Items.map(({ Path }) => Path) ?? []}
        value={[...Groups]}
        onChange={(next) => onChange({ ...value, Groups: next })}
        splitChars={[',']}
      />
    </>
  );
}
