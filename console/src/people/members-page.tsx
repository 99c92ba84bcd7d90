import type { ItemOf } from '@bailiwick/client/client.ts';
import { Badge, Group } from '@mantine/core';
import { useState } from 'react';
import { pageOf, useCall, useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { ListFilters, NoMatch } from '../parts/list-filters.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { MemberPerson } from '../parts/person.tsx';
import { RowAction, RowLink } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { useAccount } from '../shell/session.tsx';
import { type RolesOf, useRoles } from './roles.ts';

type Member = ItemOf<'TenantMembers_List'>;

const sources: Readonly<Record<string, TextKey>> = {
  creator: 'people.byCreation',
  invitation: 'people.byInvitation',
  sso: 'people.bySso',
  admin: 'people.byAdmin',
  scim: 'people.byScim',
};
const statuses: Readonly<Record<string, { text: TextKey; color: string }>> = {
  active: { text: 'people.active', color: 'teal.9' },
  pending: { text: 'people.notAccepted', color: 'accent.7' },
  disabled: { text: 'people.disabled', color: 'gray.7' },
};

/** The members of a tenant with their roles. */
export function MembersPage() {
  const { t } = useTexts();
  const { ID, Name, may } = useTenant();
  const [removed, setRemoved] = useState<Member>();
  const { cursor, onCursor } = useCursor();
  const { fields, isFiltered, sorting } = useListSearch();
  const request = { Tenant: ID, ...fields, WithNames: true, Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('TenantMembers_List', request, { keepsPrevious: true });
  const roles = useRoles(ID, may('iam.grants.read'));
  return (
    <Page title={t('people.members')} about={t('people.membersAbout', { tenant: Name })}>
      <FailureNotice error={roles.error} />
      <ListFilters
        label={t('people.search')}
        choices={[
          {
            name: 'status',
            label: t('people.status'),
            values: Object.entries(statuses).map(([value, { text }]) => ({
              value,
              label: t(text),
            })),
          },
          {
            name: 'source',
            label: t('people.source'),
            values: Object.entries(sources).map(([value, text]) => ({ value, label: t(text) })),
          },
        ]}
      />
      <CursorList
        label={t('people.members')}
        columns={useColumns(roles.of, may('iam.users.write') ? setRemoved : undefined)}
        idOf={({ UserID }) => UserID}
        page={pageOf<'TenantMembers_List'>(list.data)}
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
            <Empty icon="people" title={t('people.noMembers')} about={t('start.inviteAbout')} />
          )
        }
      />
      <SameByApi operation="TenantMembers_List" request={request} />
      {removed && <Remove member={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  );
}

function useColumns(
  rolesOf: RolesOf | undefined,
  onRemove: ((member: Member) => void) | undefined,
): Column<Member>[] {
  const { t } = useTexts();
  const { may } = useTenant();
  return [
    {
      id: 'person',
      sort: 'name',
      header: t('people.person'),
      cell: (member) => <MemberPerson {...member} />,
    },
    { id: 'status', header: t('people.status'), cell: (member) => <StatusOf {...member} /> },
    ...(rolesOf
      ? [
          {
            id: 'roles',
            header: t('people.roles'),
            isSecondary: true,
            cell: ({ UserID }: Member) => <RoleNames names={rolesOf(UserID)} />,
          },
        ]
      : []),
    {
      id: 'source',
      header: t('people.source'),
      isSecondary: true,
      cell: ({ Source }) => t(sources[Source] ?? 'people.byAdmin'),
    },
    {
      id: 'joined',
      sort: 'joined',
      header: t('people.joined'),
      isSecondary: true,
      cell: ({ JoinedAt }) => <Time at={JoinedAt} />,
    },
    ...(may('iam.grants.read')
      ? [
          {
            id: 'why',
            header: t('people.check'),
            hasHiddenHeader: true,
            isSecondary: true,
            cell: (member: Member) => <CheckLink {...member} />,
          },
        ]
      : []),
    ...(onRemove
      ? [
          {
            id: 'actions',
            header: t('people.actions'),
            hasHiddenHeader: true,
            cell: (member: Member) => <RemoveButton member={member} onRemove={onRemove} />,
          },
        ]
      : []),
  ];
}

function StatusOf({ Status }: Member) {
  const { t } = useTexts();
  const known = statuses[Status];
  return <State color={known?.color ?? 'gray.7'}>{known ? t(known.text) : Status}</State>;
}

const RoleNames = ({ names }: { names: readonly string[] }) => (
  <Group gap={4}>
    {names.map((name) => (
      <Badge key={name} variant="default" tt="none">
        {name}
      </Badge>
    ))}
  </Group>
);

/** Leads to the question why a member may do something. */
function CheckLink({ UserID, User }: Member) {
  const { t } = useTexts();
  const { Slug } = useTenant();
  return (
    <RowLink
      to={`/console/t/${Slug}/why?subject=${UserID}`}
      aria-label={t('people.checkOf', { person: User?.Email ?? UserID })}
    >
      {t('people.check')}
    </RowLink>
  );
}

type ButtonProps = { member: Member; onRemove: (member: Member) => void };

function RemoveButton({ member, onRemove }: ButtonProps) {
  const { t } = useTexts();
  const { User } = useAccount();
  // Users leave a tenant in their own account.
  if (member.UserID === User.ID) return undefined;
  return (
    <RowAction
      isRed
      aria-label={t('people.removeOf', { person: member.User?.Email ?? member.UserID })}
      onClick={() => onRemove(member)}
    >
      {t('people.remove')}
    </RowAction>
  );
}

function Remove({ member, onClose }: { member: Member; onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const { Name } = useTenant();
  const { Tenant, UserID, User } = member;
  const person = User?.Email ?? UserID;
  const change = useChange('TenantMembers_Remove', {
    stale: ['TenantMembers_List', 'Grants_ListByTenant'],
  });
  const onSuccess = () => {
    onClose();
    notify(t('people.removed', { person }));
  };
  return (
    <Confirm
      title={t('people.removeTitle')}
      action={t('people.remove')}
      phrase={person}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ Tenant, UserID }, { onSuccess })}
      onClose={onClose}
    >
      {t('people.removeAbout', { person, tenant: Name })}
    </Confirm>
  );
}
