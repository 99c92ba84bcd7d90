import type { ItemOf } from '@bailiwick/client/client.ts';
import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { pageOf, useCall, useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { RoleDialog } from './role-dialog.tsx';
import { WhatIf } from './what-if.tsx';

type Role = ItemOf<'Roles_ListByTenant'>;

/** The roles of a tenant with their permissions. */
export function RolesPage() {
  const { t } = useTexts();
  const { ID, may } = useTenant();
  const [edited, setEdited] = useState<Role | 'new'>();
  const [deleted, setDeleted] = useState<Role>();
  const { cursor, onCursor } = useCursor();
  const request = { Tenant: ID, Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('Roles_ListByTenant', request, { keepsPrevious: true });
  const mayWrite = may('iam.roles.write');
  const create = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setEdited('new')}>
      {t('access.addRole')}
    </Button>
  );
  return (
    <Page title={t('access.roles')} about={t('access.rolesAbout')} actions={mayWrite && create}>
      <CursorList
        label={t('access.roles')}
        columns={useColumns(mayWrite ? { onEdit: setEdited, onDelete: setDeleted } : undefined)}
        idOf={({ Slug }) => Slug}
        page={pageOf<'Roles_ListByTenant'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        empty={<Empty icon="key" title={t('access.roles')} about={t('access.rolesAbout')} />}
      />
      <SameByApi operation="Roles_ListByTenant" request={request} />
      {edited && (
        <RoleDialog
          {...(edited !== 'new' && { role: edited })}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted && <Delete role={deleted} onClose={() => setDeleted(undefined)} />}
    </Page>
  );
}

type Buttons = { onEdit: (role: Role) => void; onDelete: (role: Role) => void };

function useColumns(buttons: Buttons | undefined): Column<Role>[] {
  const { t } = useTexts();
  const named = ({ Slug, Name }: Role) => (
    <>
      <Text size="sm" fw={500} miw="6rem">
        {Name || Slug}
      </Text>
      <Text size="xs" c="dimmed">
        {Slug}
      </Text>
    </>
  );
  return [
    { id: 'name', header: t('access.role'), cell: named },
    {
      id: 'permissions',
      header: t('access.permissions'),
      isSecondary: true,
      cell: (role) => <Permissions names={role.Permissions} />,
    },
    ...(buttons
      ? [
          {
            id: 'actions',
            header: t('access.actions'),
            hasHiddenHeader: true,
            cell: (role: Role) =>
              role.System ? (
                <Badge variant="default" tt="none">
                  {t('access.builtIn')}
                </Badge>
              ) : (
                <RowButtons role={role} {...buttons} />
              ),
          },
        ]
      : []),
  ];
}

const mostShown = 6;

function Permissions({ names }: { names: readonly string[] }) {
  const { t } = useTexts();
  const more = names.length - mostShown;
  return (
    <Group gap={4}>
      {names.slice(0, mostShown).map((name) => (
        <Badge key={name} variant="default" tt="none">
          {name}
        </Badge>
      ))}
      {more > 0 && (
        <Text size="xs" c="dimmed">
          {t('access.andMore', { count: String(more) })}
        </Text>
      )}
    </Group>
  );
}

function RowButtons({ role, onEdit, onDelete }: Buttons & { role: Role }) {
  const { t } = useTexts();
  const name = role.Name || role.Slug;
  return (
    <Group gap={4} wrap="nowrap" justify="end">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`${t('access.edit')}: ${name}`}
        onClick={() => onEdit(role)}
      >
        {t('access.edit')}
      </Button>
      <RowAction isRed aria-label={`${t('access.delete')}: ${name}`} onClick={() => onDelete(role)}>
        {t('access.delete')}
      </RowAction>
    </Group>
  );
}

function Delete({ role: { Tenant, Slug }, onClose }: { role: Role; onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const change = useChange('Roles_Delete', {
    stale: ['Roles_ListByTenant', 'Grants_ListByTenant'],
  });
  const onSuccess = () => {
    onClose();
    notify(t('access.deleted', { name: Slug }));
  };
  return (
    <Confirm
      title={t('access.deleteRole')}
      action={t('access.delete')}
      phrase={Slug}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ Tenant, Slug }, { onSuccess })}
      onClose={onClose}
    >
      <WhatIf change={{ Roles_Delete: { Tenant, Slug } }} />
    </Confirm>
  );
}
