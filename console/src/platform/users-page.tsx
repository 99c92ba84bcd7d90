import type { ItemOf } from '@bailiwick/client/client.ts';
import { useNavigate } from '@tanstack/react-router';
import { useCall } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import type { ListAction } from '../parts/list-actions.tsx';
import { ListFilters } from '../parts/list-filters.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { ListView } from '../parts/list-view.tsx';
import { Page } from '../parts/page.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { NameAndAddress } from '../parts/person.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { choicesOf, StateOf } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useAccount } from '../shell/session.tsx';
import { SupportDialog } from './support-dialog.tsx';
import { type ActName, UserAct } from './user-acts.tsx';
import { NewUser } from './user-form.tsx';
import { userStates } from './user-states.ts';

type User = ItemOf<'Users_List'>;

/** All users of the installation. A search for an ID leads to one of them. */
export function UsersPage() {
  const { t } = useTexts();
  const { search } = useListSearch();
  const { may } = usePlatformPermissions();
  const navigate = useNavigate();
  const id = search.query?.startsWith('usr_') ? search.query : '';
  return (
    <Page
      isList
      title={t('platform.users')}
      description={t('platform.usersAbout')}
      actions={
        may('iam.platform.users.write') && (
          <DialogButton
            text={t('platform.newUser')}
            icon="plus"
            dialog={(onClose) => (
              <NewUser
                onDone={(user) => void navigate({ to: `/console/platform/users/${user}` })}
                onClose={onClose}
              />
            )}
          />
        )
      }
    >
      <ListFilters
        label={t('platform.userQuery')}
        choices={[{ name: 'status', label: t('platform.state'), values: choicesOf(userStates, t) }]}
      />
      {id === '' ? <AllUsers /> : <OneUser id={id} />}
    </Page>
  );
}

/** The common part of the list of all users and the list of one. */
function useRows() {
  const { t } = useTexts();
  return {
    label: t('platform.users'),
    columns: useColumns(),
    idOf: ({ ID }: User) => ID,
    actions: useActions(),
    empty: (
      <Empty icon="people" title={t('platform.noUsers')} description={t('platform.noUsersAbout')} />
    ),
  };
}

const AllUsers = () => <ListView operation="Users_List" request={{}} {...useRows()} />;

function OneUser({ id }: { id: string }) {
  const request = { UserID: id };
  const { data, error, refetch } = useCall('Users_Get', request);
  // A user who does not exist is no failure of the search.
  const isMissing = error?.Code === 'not_found' || error?.Code === 'invalid_argument';
  const page = data ? { items: [data.User], next: '' } : { items: [], next: '' };
  return (
    <>
      <CursorList
        {...useRows()}
        {...useCursor()}
        page={data || isMissing ? page : undefined}
        isChanging={false}
        error={isMissing ? null : error}
        onRetry={() => void refetch()}
      />
      <SameByApi operation="Users_Get" request={request} />
    </>
  );
}

function useActions(): ListAction<User>[] {
  const { t } = useTexts();
  const { User: own } = useAccount();
  const { may } = usePlatformPermissions();
  const mayWrite = may('iam.platform.users.write');
  const isOther = ({ ID }: User) => ID !== own.ID;
  const act = (name: ActName) => (user: User, onClose: () => void) => (
    <UserAct name={name} user={user} onClose={onClose} />
  );
  return [
    {
      text: t('support.open'),
      label: ({ Email }) => t('support.openOf', { person: Email }),
      may: may('iam.platform.support.act'),
      isOffered: (user) => isOther(user) && user.Status === 'active',
      dialog: (user, onClose) => <SupportDialog user={user} onClose={onClose} />,
    },
    {
      text: t('platform.disable'),
      label: ({ Email }) => t('platform.disableOf', { person: Email }),
      may: mayWrite,
      isOffered: (user) => isOther(user) && user.Status === 'active',
      dialog: act('disable'),
    },
    {
      text: t('platform.enable'),
      label: ({ Email }) => t('platform.enableOf', { person: Email }),
      may: mayWrite,
      isOffered: (user) => isOther(user) && user.Status !== 'active',
      dialog: act('enable'),
    },
  ];
}

function useColumns(): Column<User>[] {
  const { t } = useTexts();
  return [
    {
      id: 'user',
      sort: 'name',
      header: t('platform.user'),
      cell: ({ ID, Name, Email }) => (
        <NameAndAddress Name={Name} Email={Email} to={`/console/platform/users/${ID}`} />
      ),
    },
    { id: 'id', header: 'ID', isSecondary: true, cell: ({ ID }) => <Id id={ID} /> },
    {
      id: 'status',
      header: t('platform.state'),
      cell: ({ Status }) => <StateOf states={userStates} state={Status} />,
    },
    {
      id: 'signedIn',
      header: t('platform.signedIn'),
      isSecondary: true,
      cell: ({ LastLoginAt }) => <Time at={LastLoginAt} />,
    },
  ];
}
