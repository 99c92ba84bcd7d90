import type { ItemOf } from '@bailiwick/client/client.ts';
import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { type ListPage, pageOf, useCall, useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Id } from '../parts/copy.tsx';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { ListFilters } from '../parts/list-filters.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useAccount } from '../shell/session.tsx';
import { SupportDialog } from './support-dialog.tsx';

type User = ItemOf<'Users_List'>;
type Chosen = { user: User; action: 'status' | 'support' };

/** The user with this ID, as a list of one or none. */
function useOne(id: string) {
  const found = useCall('Users_Get', { UserID: id }, { enabled: id !== '' });
  // A user who does not exist is no failure of the search.
  const isMissing = found.error?.Code === 'not_found' || found.error?.Code === 'invalid_argument';
  const page: ListPage<User> | undefined = found.data && { items: [found.data.User], next: '' };
  return {
    ...found,
    page: isMissing ? { items: [], next: '' } : page,
    error: isMissing ? null : found.error,
  };
}

/** All users of the installation. */
export function UsersPage() {
  const { t } = useTexts();
  const { search, fields, sorting } = useListSearch();
  const { cursor, onCursor } = useCursor();
  const [chosen, setChosen] = useState<Chosen>();
  const request = { ...fields, Page: { Limit: 25, Cursor: cursor } };
  const id = search.query?.startsWith('usr_') ? search.query : '';
  const all = useCall('Users_List', request, { keepsPrevious: true, enabled: id === '' });
  const one = useOne(id);
  const list = id === '' ? { ...all, page: pageOf<'Users_List'>(all.data) } : one;
  const close = () => setChosen(undefined);
  return (
    <Page title={t('platform.users')} about={t('platform.usersAbout')}>
      <ListFilters
        label={t('platform.userQuery')}
        choices={[
          {
            name: 'status',
            label: t('platform.state'),
            values: [
              { value: 'active', label: t('platform.active') },
              { value: 'disabled', label: t('platform.disabled') },
            ],
          },
        ]}
      />
      <CursorList
        label={t('platform.users')}
        columns={useColumns(setChosen)}
        idOf={({ ID }) => ID}
        page={list.page}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        sorting={sorting}
        empty={
          <Empty icon="people" title={t('platform.noUsers')} about={t('platform.noUsersAbout')} />
        }
      />
      {id === '' ? (
        <SameByApi operation="Users_List" request={request} />
      ) : (
        <SameByApi operation="Users_Get" request={{ UserID: id }} />
      )}
      {chosen?.action === 'status' && <ChangeStatus user={chosen.user} onClose={close} />}
      {chosen?.action === 'support' && <SupportDialog user={chosen.user} onClose={close} />}
    </Page>
  );
}

function useColumns(onChoose: (chosen: Chosen) => void): Column<User>[] {
  const { t } = useTexts();
  return [
    {
      id: 'user',
      sort: 'name',
      header: t('platform.user'),
      cell: ({ ID, Name, Email }) => (
        <>
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {Name || Email}
          </Text>
          {Name !== '' && (
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {Email}
            </Text>
          )}
          <Text component="span" visibleFrom="sm">
            <Id id={ID} />
          </Text>
        </>
      ),
    },
    {
      id: 'status',
      header: t('platform.state'),
      isSecondary: true,
      cell: ({ Status }) => (
        <State color={Status === 'active' ? 'teal.9' : 'gray.7'}>
          {t(Status === 'active' ? 'platform.active' : 'platform.disabled')}
        </State>
      ),
    },
    {
      id: 'signedIn',
      header: t('platform.signedIn'),
      isSecondary: true,
      cell: ({ LastLoginAt }) => <Time at={LastLoginAt} />,
    },
    {
      id: 'actions',
      header: t('platform.actions'),
      hasHiddenHeader: true,
      cell: (user) => <Actions user={user} onChoose={onChoose} />,
    },
  ];
}

function Actions({ user, onChoose }: { user: User; onChoose: (chosen: Chosen) => void }) {
  const { t } = useTexts();
  const { User: own } = useAccount();
  const { may } = usePlatformPermissions();
  const isActive = user.Status === 'active';
  if (user.ID === own.ID) return undefined;
  return (
    <Group gap={4} justify="end">
      {may('iam.platform.support.act') && isActive && (
        <RowAction
          aria-label={t('support.openOf', { person: user.Email })}
          onClick={() => onChoose({ user, action: 'support' })}
        >
          {t('support.open')}
        </RowAction>
      )}
      {may('iam.platform.users.write') && (
        <RowAction
          isRed={isActive}
          aria-label={
            isActive
              ? t('platform.disableOf', { person: user.Email })
              : t('platform.enableOf', { person: user.Email })
          }
          onClick={() => onChoose({ user, action: 'status' })}
        >
          {t(isActive ? 'platform.disable' : 'platform.enable')}
        </RowAction>
      )}
    </Group>
  );
}

/** Disables an active user, or enables a disabled one. */
function ChangeStatus({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const { ID, Email, Status } = user;
  const isActive = Status === 'active';
  const change = useChange(isActive ? 'Users_Disable' : 'Users_Enable', {
    stale: ['Users_List', 'Users_Get'],
  });
  const onSuccess = () => {
    onClose();
    notify(t(isActive ? 'platform.disableDone' : 'platform.enableDone', { person: Email }));
  };
  return (
    <Confirm
      title={t(isActive ? 'platform.disableTitle' : 'platform.enableTitle')}
      action={t(isActive ? 'platform.disable' : 'platform.enable')}
      {...(isActive && { phrase: Email })}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ UserID: ID }, { onSuccess })}
      onClose={onClose}
    >
      {t(isActive ? 'platform.disableAbout' : 'platform.enableAbout', { person: Email })}
    </Confirm>
  );
}
