import type { ItemOf } from '@bailiwick/client/client.ts';
import { ActionDialog } from '../parts/action-dialog.tsx';
import type { Column } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Labels } from '../parts/labels.tsx';
import { ListView } from '../parts/list-view.tsx';
import { Page } from '../parts/page.tsx';
import { MemberPerson } from '../parts/person.tsx';
import { RowLink } from '../parts/row-action.tsx';
import { choicesOf, StateOf, type States } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { useAccount } from '../shell/session.tsx';
import { type RolesOf, useRoles } from './roles.ts';

type Member = ItemOf<'TenantMembers_List'>;

const sources: Readonly<Record<string, { text: TextKey }>> = {
  creator: { text: 'people.byCreation' },
  invitation: { text: 'people.byInvitation' },
  sso: { text: 'people.bySso' },
  admin: { text: 'people.byAdmin' },
  scim: { text: 'people.byScim' },
};
const statuses: States = {
  active: { text: 'people.active', color: 'teal.9' },
  pending: { text: 'people.notAccepted', color: 'accent.7' },
  disabled: { text: 'people.disabled', color: 'gray.7' },
};
const nameOf = ({ User, UserID }: Member): string => User?.Email ?? UserID;

export function MembersPage() {
  const { t } = useTexts();
  const { ID, Name, may } = useTenant();
  const { User } = useAccount();
  const roles = useRoles(ID, may('iam.grants.read'));
  return (
    <Page title={t('people.members')} description={t('people.membersAbout', { tenant: Name })}>
      <FailureNotice error={roles.error} />
      <ListView
        operation="TenantMembers_List"
        request={{ Tenant: ID, WithNames: true }}
        label={t('people.members')}
        filters={{
          label: t('people.search'),
          choices: [
            { name: 'status', label: t('people.status'), values: choicesOf(statuses, t) },
            { name: 'source', label: t('people.source'), values: choicesOf(sources, t) },
          ],
        }}
        columns={useColumns(roles.of)}
        idOf={({ UserID }) => UserID}
        actions={[
          {
            text: t('people.remove'),
            label: (member) => t('people.removeOf', { person: nameOf(member) }),
            isRed: true,
            may: may('iam.users.write'),
            // Users leave a tenant in their own account.
            isOffered: ({ UserID }) => UserID !== User.ID,
            dialog: (member, onClose) => <Remove member={member} onClose={onClose} />,
          },
        ]}
        empty={
          <Empty icon="people" title={t('people.noMembers')} description={t('start.inviteAbout')} />
        }
      />
    </Page>
  );
}

function useColumns(rolesOf: RolesOf | undefined): Column<Member>[] {
  const { t } = useTexts();
  const { Slug, may } = useTenant();
  const roles: Column<Member> = {
    id: 'roles',
    header: t('people.roles'),
    isSecondary: true,
    cell: ({ UserID }) => <Labels names={rolesOf?.(UserID) ?? []} />,
  };
  const why: Column<Member> = {
    id: 'why',
    header: t('people.check'),
    hasHiddenHeader: true,
    isSecondary: true,
    cell: (member) => (
      <RowLink
        to={`/console/t/${Slug}/why?subject=${member.UserID}`}
        aria-label={t('people.checkOf', { person: nameOf(member) })}
      >
        {t('people.check')}
      </RowLink>
    ),
  };
  return [
    {
      id: 'person',
      sort: 'name',
      header: t('people.person'),
      cell: (member) => <MemberPerson {...member} />,
    },
    {
      id: 'status',
      header: t('people.status'),
      cell: ({ Status }) => <StateOf states={statuses} state={Status} />,
    },
    ...(rolesOf ? [roles] : []),
    {
      id: 'source',
      header: t('people.source'),
      isSecondary: true,
      cell: ({ Source }) => t(sources[Source]?.text ?? 'people.byAdmin'),
    },
    {
      id: 'joined',
      sort: 'joined',
      header: t('people.joined'),
      isSecondary: true,
      cell: ({ JoinedAt }) => <Time at={JoinedAt} />,
    },
    ...(may('iam.grants.read') ? [why] : []),
  ];
}

function Remove({ member, onClose }: { member: Member; onClose: () => void }) {
  const { t } = useTexts();
  const { Name } = useTenant();
  const { Tenant, UserID } = member;
  const person = nameOf(member);
  return (
    <ActionDialog
      operation="TenantMembers_Remove"
      request={{ Tenant, UserID }}
      stale={['TenantMembers_List', 'Grants_ListByTenant']}
      title={t('people.removeTitle')}
      action={t('people.remove')}
      phrase={person}
      notice={t('people.removed', { person })}
      onClose={onClose}
    >
      {t('people.removeAbout', { person, tenant: Name })}
    </ActionDialog>
  );
}
