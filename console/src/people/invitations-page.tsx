import type { ItemOf } from '@bailiwick/client/client.ts';
import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { pageOf, useCall, useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { ListFilters, NoMatch } from '../parts/list-filters.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { InviteDialog } from './invite-dialog.tsx';

type Invitation = ItemOf<'TenantInvitations_List'>;

const statuses: Readonly<Record<string, { text: TextKey; color: string }>> = {
  pending: { text: 'people.pending', color: 'accent.7' },
  accepted: { text: 'people.accepted', color: 'teal.9' },
  declined: { text: 'people.declined', color: 'gray.7' },
  revoked: { text: 'people.revoked', color: 'gray.7' },
  expired: { text: 'people.expired', color: 'orange.9' },
};

/** The invitations of a tenant: who was asked, with which roles, and what came of it. */
export function InvitationsPage() {
  const { t } = useTexts();
  const { ID, Name, may } = useTenant();
  const [isInviting, setInviting] = useState(false);
  const [withdrawn, setWithdrawn] = useState<Invitation>();
  const { cursor, onCursor } = useCursor();
  const { fields, isFiltered, sorting } = useListSearch();
  const request = { Tenant: ID, ...fields, Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('TenantInvitations_List', request, { keepsPrevious: true });
  const mayWrite = may('iam.invitations.write');
  const invite = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setInviting(true)}>
      {t('people.invite')}
    </Button>
  );
  return (
    <Page
      title={t('people.invitations')}
      about={t('people.invitationsAbout', { tenant: Name })}
      actions={mayWrite && invite}
    >
      <ListFilters
        label={t('people.searchAddress')}
        choices={[
          {
            name: 'status',
            label: t('people.status'),
            values: Object.entries(statuses).map(([value, { text }]) => ({
              value,
              label: t(text),
            })),
          },
        ]}
      />
      <CursorList
        label={t('people.invitations')}
        columns={useColumns(mayWrite ? setWithdrawn : undefined)}
        idOf={({ ID }) => ID}
        page={pageOf<'TenantInvitations_List'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        sorting={sorting}
        empty={
          isFiltered ? (
            <NoMatch />
          ) : (
            <Empty icon="mail" title={t('people.noInvitations')} about={t('start.inviteAbout')} />
          )
        }
      />
      <SameByApi operation="TenantInvitations_List" request={request} />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {withdrawn && <Withdraw invitation={withdrawn} onClose={() => setWithdrawn(undefined)} />}
    </Page>
  );
}

function useColumns(onWithdraw?: (invitation: Invitation) => void): Column<Invitation>[] {
  const { t } = useTexts();
  return [
    {
      id: 'email',
      sort: 'email',
      header: t('people.email'),
      cell: ({ Email }) => <Text size="sm">{Email}</Text>,
    },
    { id: 'status', header: t('people.status'), cell: ({ Status }) => <StatusBadge of={Status} /> },
    {
      id: 'roles',
      header: t('people.roles'),
      isSecondary: true,
      cell: ({ Roles }) => <RoleBadges roles={Roles} />,
    },
    {
      id: 'created',
      sort: 'created',
      header: t('people.sent'),
      isSecondary: true,
      cell: ({ CreatedAt }) => <Time at={CreatedAt} />,
    },
    {
      id: 'expires',
      header: t('people.expires'),
      isSecondary: true,
      cell: ({ Status, ExpiresAt }) => <Time at={Status === 'pending' ? ExpiresAt : undefined} />,
    },
    ...(onWithdraw
      ? [
          {
            id: 'actions',
            header: t('people.actions'),
            hasHiddenHeader: true,
            cell: (invitation: Invitation) =>
              invitation.Status === 'pending' && (
                <RowAction
                  isRed
                  aria-label={t('people.withdrawOf', { email: invitation.Email })}
                  onClick={() => onWithdraw(invitation)}
                >
                  {t('people.withdraw')}
                </RowAction>
              ),
          },
        ]
      : []),
  ];
}

const RoleBadges = ({ roles }: { roles: readonly string[] }) => (
  <Group gap={4}>
    {roles.map((role) => (
      <Badge key={role} variant="default" tt="none">
        {role}
      </Badge>
    ))}
  </Group>
);

function StatusBadge({ of }: { of: string }) {
  const { t } = useTexts();
  const known = statuses[of];
  return <State color={known?.color ?? 'gray.7'}>{known ? t(known.text) : of}</State>;
}

function Withdraw({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const { Tenant, Email } = invitation;
  const change = useChange('TenantInvitations_Delete', { stale: ['TenantInvitations_List'] });
  const onSuccess = () => {
    onClose();
    notify(t('people.withdrawn', { email: Email }));
  };
  return (
    <Confirm
      title={t('people.withdrawTitle')}
      action={t('people.withdraw')}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ Tenant, Email }, { onSuccess })}
      onClose={onClose}
    >
      {t('people.withdrawAbout', { email: Email })}
    </Confirm>
  );
}
