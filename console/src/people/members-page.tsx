import type { ItemOf } from '@bailiwick/client/client.ts';
import { Group } from '@mantine/core';
import type { Column } from '../parts/cursor-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Labels } from '../parts/labels.tsx';
import type { ListAction } from '../parts/list-actions.tsx';
import { ListView } from '../parts/list-view.tsx';
import { memberStates } from '../parts/member-states.ts';
import { Page } from '../parts/page.tsx';
import { MemberPerson } from '../parts/person.tsx';
import { choicesOf, StateOf } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { useAccount } from '../shell/session.tsx';
import { AddMemberDialog } from './add-member-dialog.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { useMemberBulk } from './member-bulk.tsx';
import { RemoveMember, SwitchMember } from './member-dialogs.tsx';
import { nameOf, sourceTexts } from './member-texts.ts';
import { PeopleTabs } from './people-tabs.tsx';
import { type RolesOf, useRoles } from './roles.ts';

type Member = ItemOf<'TenantMembers_List'>;

export function MembersPage() {
  const { t } = useTexts();
  const { ID, Name, may } = useTenant();
  const roles = useRoles(ID, may('iam.grants.read'));
  return (
    <Page
      isList
      title={t('people.members')}
      description={t('people.membersAbout', { tenant: Name })}
      actions={<Actions />}
    >
      <PeopleTabs current="members">
        <FailureNotice error={roles.error} />
        <ListView
          operation="TenantMembers_List"
          request={{ Tenant: ID, WithNames: true }}
          label={t('people.members')}
          filters={{
            label: t('people.search'),
            choices: [
              { name: 'status', label: t('people.status'), values: choicesOf(memberStates, t) },
              { name: 'source', label: t('people.source'), values: choicesOf(sourceTexts, t) },
            ],
          }}
          columns={useColumns(roles.of)}
          idOf={({ UserID }) => UserID}
          actions={useActions()}
          bulk={useMemberBulk()}
          empty={
            <Empty
              icon="people"
              title={t('people.noMembers')}
              description={t('start.inviteAbout')}
            />
          }
        />
      </PeopleTabs>
    </Page>
  );
}

function useActions(): ListAction<Member>[] {
  const { t } = useTexts();
  const { may } = useTenant();
  const { User } = useAccount();
  const mayWrite = may('iam.users.write');
  // Users leave a tenant in their own account.
  const isOther = ({ UserID }: Member) => UserID !== User.ID;
  const change: ListAction<Member>['dialog'] = (member, onClose) => (
    <SwitchMember member={member} onClose={onClose} />
  );
  return [
    {
      text: t('people.disable'),
      label: (member) => t('people.disableOf', { person: nameOf(member) }),
      may: mayWrite,
      isOffered: (member) => isOther(member) && member.Status === 'active',
      dialog: change,
    },
    {
      text: t('people.enable'),
      label: (member) => t('people.enableOf', { person: nameOf(member) }),
      may: mayWrite,
      isOffered: (member) => isOther(member) && member.Status === 'disabled',
      dialog: change,
    },
    {
      text: t('people.remove'),
      label: (member) => t('people.removeOf', { person: nameOf(member) }),
      may: mayWrite,
      isOffered: isOther,
      dialog: (member, onClose) => <RemoveMember member={member} onClose={onClose} />,
    },
  ];
}

function Actions() {
  const { t } = useTexts();
  const { may } = useTenant();
  return (
    <Group gap="xs">
      {may('iam.users.write') && (
        <DialogButton
          text={t('people.addExisting')}
          dialog={(onClose) => <AddMemberDialog onClose={onClose} />}
        />
      )}
      {may('iam.invitations.write') && (
        <DialogButton
          text={t('people.invite')}
          icon="plus"
          dialog={(onClose) => <InviteDialog onClose={onClose} />}
        />
      )}
    </Group>
  );
}

function useColumns(rolesOf: RolesOf | undefined): Column<Member>[] {
  const { t } = useTexts();
  const { Slug } = useTenant();
  const roles: Column<Member> = {
    id: 'roles',
    header: t('people.roles'),
    isSecondary: true,
    isWide: true,
    cell: ({ UserID }) => <Labels names={rolesOf?.(UserID) ?? []} />,
  };
  return [
    {
      id: 'person',
      sort: 'name',
      header: t('people.person'),
      cell: (member) => (
        <MemberPerson {...member} to={`/console/t/${Slug}/members/${member.UserID}`} />
      ),
    },
    {
      id: 'status',
      header: t('people.status'),
      cell: ({ Status }) => <StateOf states={memberStates} state={Status} />,
    },
    ...(rolesOf ? [roles] : []),
    {
      id: 'source',
      header: t('people.source'),
      isSecondary: true,
      cell: ({ Source }) => t(sourceTexts[Source]?.text ?? 'people.byAdmin'),
    },
    {
      id: 'joined',
      sort: 'joined',
      header: t('people.joined'),
      isSecondary: true,
      cell: ({ JoinedAt }) => <Time at={JoinedAt} />,
    },
  ];
}
