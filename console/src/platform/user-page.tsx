import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Group, Skeleton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useCall } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Facts } from '../parts/facts.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { languageName } from '../parts/language-name.ts';
import { Page } from '../parts/page.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { StateOf, type States } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useAccount } from '../shell/session.tsx';
import { ResetMail } from './reset-mail.tsx';
import { AddRole } from './role-dialogs.tsx';
import { SupportDialog } from './support-dialog.tsx';
import { UserFactors, UserSessions } from './user-access.tsx';
import { type ActName, acts, UserAct } from './user-acts.tsx';
import { EditUser } from './user-form.tsx';
import { UserEntries, UserGrants, UserIdentities } from './user-lists.tsx';
import { UserLock } from './user-lock.tsx';
import { userStates } from './user-states.ts';

type User = ResponseOf<'Users_Get'>['User'];

/** A locked user is disabled, with a receipt. */
const pageStates: States = {
  ...userStates,
  locked: { text: 'platform.locked', color: 'red.9' },
};

/** One user, as the operators of the platform see it. */
export function UserPage() {
  const { t } = useTexts();
  const { id = '' } = useParams({ strict: false });
  const { may } = usePlatformPermissions();
  const { User: own } = useAccount();
  const { data, error, refetch } = useCall('Users_Get', { UserID: id });
  const user = data?.User;
  // The views of the account have the acts on the own account.
  const mayAct = may('iam.platform.users.write') && id !== own.ID;
  return (
    <Page
      title={user ? user.Name || user.Email : t('platform.user')}
      back={{ to: '/console/platform/users', text: t('platform.users') }}
      description={user?.Name ? user.Email : undefined}
    >
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!user && !error && <Skeleton height={240} />}
      {user && (
        <>
          <Group gap="sm">
            <StateOf states={pageStates} state={user.LockReceipt === '' ? user.Status : 'locked'} />
            <Id id={user.ID} />
          </Group>
          <Buttons user={user} />
          <UserFacts user={user} />
          {user.LockReceipt !== '' && may('iam.platform.users.read') && (
            <UserLock receipt={user.LockReceipt} />
          )}
          <UserSessions user={user} mayAct={mayAct} />
          <UserFactors id={user.ID} />
          <UserIdentities user={user} mayAct={mayAct} />
          {may('iam.platform.grants.read') && <UserGrants id={user.ID} />}
          {may('iam.platform.audit.read') && <UserEntries id={user.ID} />}
        </>
      )}
    </Page>
  );
}

function UserFacts({ user }: { user: User }) {
  const { t } = useTexts();
  const { Locale, ExternalID, HasPassword } = user;
  return (
    <Facts
      facts={[
        { name: t('platform.signedIn'), value: <Time at={user.LastLoginAt} /> },
        { name: t('platform.created'), value: <Time at={user.CreatedAt} /> },
        { name: t('platform.password'), value: t(HasPassword ? 'platform.yes' : 'platform.no') },
        { name: t('account.language'), value: Locale === '' ? '–' : languageName(Locale) },
        ...(ExternalID === '' ? [] : [{ name: t('import.externalId'), value: ExternalID }]),
      ]}
    />
  );
}

const actsOf = ({ Status, LockReceipt }: User): ActName[] => {
  if (LockReceipt !== '') return ['unlock'];
  return [Status === 'active' ? 'disable' : 'enable', 'lock'];
};

const buttons: Partial<Record<ActName, string>> = { enable: 'disable', unlock: 'lock' };

/** The acts of an operator on the account of another user. */
function Buttons({ user }: { user: User }) {
  const { t } = useTexts();
  const { User: own } = useAccount();
  const { may } = usePlatformPermissions();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const isActive = user.Status === 'active';
  if (user.ID === own.ID) return undefined;
  const names: ActName[] = may('iam.platform.users.write')
    ? [...actsOf(user), 'resetFactors', 'delete']
    : [];
  const leave = async () => {
    await navigate({ to: '/console/platform/users' });
    await queries.invalidateQueries({ queryKey: ['Users_Get'] });
  };
  return (
    <Group gap="xs">
      {isActive && may('iam.platform.support.act') && (
        <DialogButton
          text={t('support.open')}
          dialog={(onClose) => <SupportDialog user={user} onClose={onClose} />}
        />
      )}
      {isActive && <ResetMail email={user.Email} />}
      {may('iam.platform.users.write') && (
        <DialogButton
          text={t('platform.editUser')}
          dialog={(onClose) => <EditUser user={user} onClose={onClose} />}
        />
      )}
      {may('iam.platform.grants.write') && (
        <DialogButton
          text={t('platform.makeOperator')}
          dialog={(onClose) => <AddRole user={user} onClose={onClose} />}
        />
      )}
      {names.map((name) => (
        <DialogButton
          // One button for an act and its undoing: it keeps its dialog open until the call is done.
          key={buttons[name] ?? name}
          text={t(acts[name].action)}
          dialog={(onClose) => (
            <UserAct
              name={name}
              user={user}
              onClose={onClose}
              {...(name === 'delete' && { onDone: () => void leave() })}
            />
          )}
        />
      ))}
    </Group>
  );
}
