import type { ItemOf } from '@bailiwick/client/client.ts';
import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { type ListPage, pageOf, useCall, useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Id } from '../parts/copy.tsx';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useAccount } from '../shell/session.tsx';
import { useSearchText } from './search.ts';
import { SearchField } from './search-field.tsx';
import { SupportDialog } from './support-dialog.tsx';

type User = ItemOf<'Users_List'>;
type Chosen = { user: User; action: 'status' | 'support' };

/** The user with this address or ID, as a list of one or none. */
function useOne(query: string) {
  const isId = query.startsWith('usr_');
  const byId = useCall('Users_Get', { UserID: query }, { enabled: isId });
  const byEmail = useCall('Users_GetByEmail', { Email: query }, { enabled: !isId && query !== '' });
  const found = isId ? byId : byEmail;
  const page: ListPage<User> | undefined = found.data && { items: [found.data.User], next: '' };
  // A user who does not exist is no failure of the search.
  const isMissing = found.error?.Code === 'not_found';
  return {
    page: isMissing ? { items: [], next: '' } : page,
    error: isMissing ? null : found.error,
    refetch: found.refetch,
    isPlaceholderData: false,
  };
}

/** All users of the installation. */
export function UsersPage() {
  const { t } = useTexts();
  const { query } = useSearchText();
  const { cursor, onCursor } = useCursor();
  const [chosen, setChosen] = useState<Chosen>();
  const request = { Page: { Limit: 25, Cursor: cursor } };
  const all = useCall('Users_List', request, { keepsPrevious: true, enabled: query === '' });
  const one = useOne(query);
  const list = query === '' ? { ...all, page: pageOf<'Users_List'>(all.data) } : one;
  const close = () => setChosen(undefined);
  return (
    <Page title={t('platform.users')} about={t('platform.usersAbout')}>
      <SearchField label={t('platform.userQuery')} placeholder="ada@example.com" />
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
        empty={
          <Empty icon="people" title={t('platform.noUsers')} about={t('platform.noUsersAbout')} />
        }
      />
      {query === '' ? (
        <SameByApi operation="Users_List" request={request} />
      ) : (
        <SameByApi operation="Users_GetByEmail" request={{ Email: query }} />
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
        <Badge color={Status === 'active' ? 'teal.9' : 'gray.7'} tt="none">
          {t(Status === 'active' ? 'platform.active' : 'platform.disabled')}
        </Badge>
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
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={t('support.openOf', { person: user.Email })}
          onClick={() => onChoose({ user, action: 'support' })}
        >
          {t('support.open')}
        </Button>
      )}
      {may('iam.platform.users.write') && (
        <Button
          size="compact-sm"
          variant="subtle"
          {...(isActive && { color: 'red', c: 'var(--mantine-color-error)' })}
          aria-label={
            isActive
              ? t('platform.disableOf', { person: user.Email })
              : t('platform.enableOf', { person: user.Email })
          }
          onClick={() => onChoose({ user, action: 'status' })}
        >
          {t(isActive ? 'platform.disable' : 'platform.enable')}
        </Button>
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
    stale: ['Users_List', 'Users_Get', 'Users_GetByEmail'],
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
