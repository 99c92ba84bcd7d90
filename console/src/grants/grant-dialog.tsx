import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useAll, useCall } from '../parts/calls.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { AddressField, useSubjectOf } from './address-field.tsx';
import { type Change, type Holder, useGrantChange } from './grant-kinds.ts';
import { WhatIf } from './what-if.tsx';

type Grant = { Tenant: string; Role: string; ExpiresAt?: string };

const changeOf = (of: Holder, holder: string, grant: Grant): Change =>
  ({
    people: { Grants_Add: { Grant: { ...grant, UserID: holder } } },
    groups: { GroupGrants_Add: { Grant: { ...grant, Group: holder } } },
    bots: { BotGrants_Add: { Grant: { ...grant, Bot: holder } } },
  })[of];

type Props = {
  of: Holder;
  /** The holder of the role. Without it the dialog has a field for it. */
  fixedHolder?: string;
  /** The role. Without it the dialog has a field for it. */
  fixedRole?: string;
  onClose: () => void;
};

/** Gives a role, after it has shown the permissions that people gain by it. */
export function GrantDialog({ of, fixedHolder, fixedRole, onClose }: Props) {
  const { t } = useTexts();
  const notify = useNotify();
  const { ID: Tenant } = useTenant();
  const [text, setText] = useState('');
  const [role, setRole] = useState(fixedRole ?? '');
  const [until, setUntil] = useState('');
  const subject = useSubjectOf(of === 'groups' ? '' : text);
  const holder = fixedHolder ?? (of === 'groups' ? text : subject.id);
  const change = useGrantChange();
  const ExpiresAt = until === '' ? undefined : new Date(until).toISOString();
  const grant = { Tenant, Role: role, ...(ExpiresAt !== undefined && { ExpiresAt }) };
  const planned = holder !== '' && role !== '' && changeOf(of, holder, grant);
  const onSuccess = () => {
    onClose();
    notify(t('access.granted'));
  };
  return (
    <Dialog onClose={onClose} title={t('access.addGrant')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (planned) change.make(planned, onSuccess);
        }}
      >
        <Stack>
          {fixedHolder === undefined && (
            <HolderField of={of} value={text} onChange={setText} isUnknown={subject.isUnknown} />
          )}
          {fixedRole === undefined && <RoleSelect value={role} onChange={setRole} />}
          <TextInput
            type="datetime-local"
            label={t('access.expires')}
            description={t('access.expiresAbout')}
            value={until}
            onChange={(event) => setUntil(event.currentTarget.value)}
          />
          {planned && <WhatIf change={planned} />}
          <FailureNotice error={change.error} />
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {t('form.cancel')}
            </Button>
            <Button type="submit" disabled={!planned} loading={change.isPending}>
              {t('access.addGrant')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

type Choice = {
  value: string;
  onChange: (value: string) => void;
  /** Whether the field is above a list and may be empty. */
  isFilter?: boolean;
};

type HolderProps = Choice & { of: Holder; isUnknown: boolean };

/** Asks for a person, a group or a bot. */
export function HolderField({ of, isUnknown, isFilter = false, ...fields }: HolderProps) {
  const { t } = useTexts();
  const mayFindBots = useTenant().may('iam.bots.read');
  const choice = { ...fields, isFilter };
  if (of === 'groups') return <GroupSelect {...choice} />;
  if (of === 'bots' && mayFindBots) return <BotSelect {...choice} />;
  return (
    <AddressField
      {...fields}
      label={t(of === 'people' ? 'access.person' : 'access.bot')}
      {...(!isFilter && {
        description: t(of === 'people' ? 'access.personAbout' : 'access.botAbout'),
      })}
      isUnknown={isUnknown}
      suggests={of === 'people'}
    />
  );
}

export function RoleSelect({ value, onChange, isFilter = false }: Choice) {
  const { t } = useTexts();
  const { ID } = useTenant();
  const { data } = useAll('Roles_ListByTenant', { Tenant: ID, Page: { Limit: 200 } });
  const roles = data?.map(({ Slug, Name }) => ({ value: Slug, label: Name || Slug }));
  return (
    <Select
      label={t('access.role')}
      data={roles ?? []}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      searchable
      clearable={isFilter}
    />
  );
}

function GroupSelect(choice: Choice) {
  const { t } = useTexts();
  const { request, setText } = useSearched();
  const { data } = useCall('Groups_ListByTenant', request, { keepsPrevious: true });
  const groups = data?.Page.Items.map(({ Path }) => ({ value: Path, label: Path }));
  return (
    <SearchSelect {...choice} label={t('access.group')} options={groups ?? []} onSearch={setText} />
  );
}

function BotSelect(choice: Choice) {
  const { t } = useTexts();
  const { request, setText } = useSearched();
  const { data } = useCall('Bots_List', request, { keepsPrevious: true });
  const bots = data?.Page.Items.map(({ ID, Name }) => ({ value: ID, label: Name }));
  return (
    <SearchSelect {...choice} label={t('access.bot')} options={bots ?? []} onSearch={setText} />
  );
}

/** The request that finds what contains the typed text: a tenant may have any number of groups. */
function useSearched() {
  const { ID: Tenant } = useTenant();
  const [text, setText] = useState('');
  const [Query] = useDebouncedValue(text.trim().slice(0, 128), 150);
  return { request: { Tenant, Query, Sort: 'name', Page: { Limit: 50 } }, setText };
}

type SearchSelectProps = Choice & {
  label: string;
  options: Array<{ value: string; label: string }>;
  onSearch: (text: string) => void;
};

const SearchSelect = ({ isFilter = false, ...props }: SearchSelectProps) => {
  const { label, value, onChange, options, onSearch } = props;
  return (
    <Select
      label={label}
      data={options}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      searchable
      onSearchChange={onSearch}
      filter={({ options }) => options}
      clearable={isFilter}
      data-autofocus={!isFilter || undefined}
    />
  );
};
