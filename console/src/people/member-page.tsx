import type { ItemOf } from '@bailiwick/client/client.ts';
import { Group, Skeleton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { HolderRoles } from '../grants/holder-roles.tsx';
import { MemberGroups } from '../grants/member-groups.tsx';
import { PermissionsSection } from '../grants/permissions-section.tsx';
import { useCall } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Facts } from '../parts/facts.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { memberStates } from '../parts/member-states.ts';
import { Page } from '../parts/page.tsx';
import { useUser } from '../parts/person.tsx';
import { StateOf } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { useAccount } from '../shell/session.tsx';
import { RemoveMember, SwitchMember } from './member-dialogs.tsx';
import { MemberEvents } from './member-events.tsx';
import { nameOf, sourceTexts } from './member-texts.ts';

export type Member = ItemOf<'TenantMembers_List'>;

/** One member: roles and groups, which are changed in place, permissions and last events. */
export function MemberPage() {
  const { t } = useTexts();
  const { ID: Tenant, Slug } = useTenant();
  const { member: UserID = '' } = useParams({ strict: false });
  const request = { Tenant, UserID, WithNames: true };
  const { data, error, refetch } = useCall('TenantMembers_List', request);
  const back = { to: `/console/t/${Slug}/members`, text: t('people.members') };
  const member = data?.Page.Items[0];
  if (member) return <MemberView member={member} back={back} />;
  return (
    <Page title={t('people.person')} back={back}>
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton height={160} aria-busy="true" />}
      {data && (
        <Empty
          icon="warning"
          title={t('people.noMember')}
          description={t('people.noMemberAbout')}
        />
      )}
    </Page>
  );
}

type ViewProps = { member: Member; back: { to: string; text: string } };

function MemberView({ member, back }: ViewProps) {
  const { may } = useTenant();
  const { UserID, User, Status } = member;
  const hasName = User !== undefined && User.Name !== '';
  return (
    <Page
      title={User?.Name || nameOf(member)}
      back={back}
      description={hasName ? User.Email : undefined}
      actions={may('iam.users.write') && <Actions member={member} back={back.to} />}
    >
      <MemberFacts member={member} />
      {may('iam.grants.read') && <HolderRoles of="people" holder={UserID} />}
      {may('iam.groups.read') && Status !== 'pending' && <MemberGroups user={UserID} />}
      {may('iam.grants.read') && <PermissionsSection subject={UserID} />}
      {may('iam.audit.read') && <MemberEvents user={UserID} />}
    </Page>
  );
}

function MemberFacts({ member }: { member: Member }) {
  const { t } = useTexts();
  const { UserID, Status, Source, JoinedAt } = member;
  const facts = [
    { name: 'ID', value: <Id id={UserID} /> },
    { name: t('people.status'), value: <StateOf states={memberStates} state={Status} /> },
    { name: t('people.source'), value: t(sourceTexts[Source]?.text ?? 'people.byAdmin') },
    { name: t('people.joined'), value: <Time at={JoinedAt} /> },
  ];
  // The tenant does not know a user who has not accepted.
  return Status === 'pending' ? (
    <Facts facts={facts} />
  ) : (
    <FactsOfUser user={UserID} facts={facts} />
  );
}

type FactsProps = { user: string; facts: Parameters<typeof Facts>[0]['facts'] };

function FactsOfUser({ user, facts }: FactsProps) {
  const { t } = useTexts();
  const { data } = useUser(user);
  const at = data?.User.LastLoginAt;
  return (
    <Facts
      facts={[
        ...facts,
        ...(at === undefined ? [] : [{ name: t('people.lastSignIn'), value: <Time at={at} /> }]),
      ]}
    />
  );
}

function Actions({ member, back }: { member: Member; back: string }) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { User } = useAccount();
  const leave = async () => {
    await navigate({ to: back });
    await queries.invalidateQueries({ queryKey: ['TenantMembers_List'] });
  };
  // Users leave a tenant in their own account.
  if (member.UserID === User.ID) return undefined;
  return (
    <Group gap="xs">
      {member.Status !== 'pending' && (
        <DialogButton
          text={t(member.Status === 'disabled' ? 'people.enable' : 'people.disable')}
          dialog={(onClose) => <SwitchMember member={member} onClose={onClose} />}
        />
      )}
      <DialogButton
        text={t('people.remove')}
        dialog={(onClose) => (
          <RemoveMember member={member} onDone={() => void leave()} onClose={onClose} />
        )}
      />
    </Group>
  );
}
