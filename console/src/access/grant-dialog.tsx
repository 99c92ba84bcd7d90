import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { AddressField, useSubjectOf } from './address-field.tsx';
import { useGrantChange } from './grant-kinds.ts';
import type { Holder } from './search.ts';
import { type Change, WhatIf } from './what-if.tsx';

type Grant = { Tenant: string; Role: string; ExpiresAt?: string };

const changeOf = (of: Holder, holder: string, grant: Grant): Change =>
  ({
    people: { Grants_Add: { Grant: { ...grant, UserID: holder } } },
    groups: { GroupGrants_Add: { Grant: { ...grant, Group: holder } } },
    bots: { BotGrants_Add: { Grant: { ...grant, Bot: holder } } },
  })[of];

/** Gives a role, after it has shown the permissions that people gain by it. */
export function GrantDialog({ of, onClose }: { of: Holder; onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const { ID: Tenant } = useTenant();
  const [text, setText] = useState('');
  const [role, setRole] = useState('');
  const [until, setUntil] = useState('');
  const found = useSubjectOf(of === 'groups' ? '' : text);
  const holder = of === 'groups' ? text : found.id;
  const change = useGrantChange();
  const ExpiresAt = until === '' ? undefined : new Date(until).toISOString();
  const grant = { Tenant, Role: role, ...(ExpiresAt !== undefined && { ExpiresAt }) };
  const planned = holder !== '' && role !== '' && changeOf(of, holder, grant);
  const onSuccess = () => {
    onClose();
    notify(t('access.granted'));
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('access.addGrant')}
      closeButtonProps={{ 'aria-label': t('form.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (planned) change.make(planned, onSuccess);
        }}
      >
        <Stack>
          <HolderField of={of} value={text} onChange={setText} isUnknown={found.isUnknown} />
          <RoleSelect value={role} onChange={setRole} />
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
    </Modal>
  );
}

type Choice = { value: string; onChange: (value: string) => void };

function HolderField({ of, isUnknown, ...choice }: Choice & { of: Holder; isUnknown: boolean }) {
  const { t } = useTexts();
  if (of === 'groups') return <GroupSelect {...choice} />;
  return (
    <AddressField
      {...choice}
      label={t(of === 'people' ? 'access.person' : 'access.bot')}
      description={t(of === 'people' ? 'access.personAbout' : 'access.botAbout')}
      isUnknown={isUnknown}
      suggests={of === 'people'}
    />
  );
}

function RoleSelect({ value, onChange }: Choice) {
  const { t } = useTexts();
  const { ID } = useTenant();
  const { data } = useCall('Roles_ListByTenant', { Tenant: ID, Page: { Limit: 200 } });
  const roles = data?.Page.Items.map(({ Slug, Name }) => ({ value: Slug, label: Name || Slug }));
  return (
    <Select
      label={t('access.role')}
      data={roles ?? []}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      searchable
    />
  );
}

function GroupSelect({ value, onChange }: Choice) {
  const { t } = useTexts();
  const { ID } = useTenant();
  const { data } = useCall('Groups_ListByTenant', { Tenant: ID, Page: { Limit: 200 } });
  return (
    <Select
      label={t('access.group')}
      data={data?.Page.Items.map(({ Path }) => Path) ?? []}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      searchable
      data-autofocus
    />
  );
}
