import type { ItemOf } from '@bailiwick/client/client.ts';
import { Text } from '@mantine/core';
import { useState } from 'react';
import { pageOf, useCall, useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Id } from '../parts/copy.tsx';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useAccount } from '../shell/session.tsx';

type App = ItemOf<'AccountApps_List'>;

/** The applications with access to the user's account. */
export function AppsPage() {
  const { t } = useTexts();
  const [removed, setRemoved] = useState<App>();
  const { cursor, onCursor } = useCursor();
  const request = { Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('AccountApps_List', request, { keepsPrevious: true });
  return (
    <Page title={t('account.apps')} about={t('account.appsAbout')}>
      <CursorList
        label={t('account.apps')}
        columns={useColumns(setRemoved)}
        idOf={({ ID }) => ID}
        page={pageOf<'AccountApps_List'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        empty={<Empty icon="app" title={t('account.noApps')} about={t('account.noAppsAbout')} />}
      />
      <SameByApi operation="AccountApps_List" request={request} />
      {removed && <Remove app={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  );
}

function useColumns(onRemove: (app: App) => void): Column<App>[] {
  const { t } = useTexts();
  const { Tenants } = useAccount();
  const nameOf = (id: string) => Tenants.find(({ ID }) => ID === id)?.Name;
  return [
    {
      id: 'app',
      header: t('account.app'),
      cell: ({ ID, Name, Tenant }) => (
        <>
          <Text size="sm" fw={500}>
            {Name}
          </Text>
          {nameOf(Tenant) && (
            <Text size="xs" c="dimmed">
              {nameOf(Tenant)}
            </Text>
          )}
          <Id id={ID} />
        </>
      ),
    },
    {
      id: 'scopes',
      header: t('account.scopes'),
      isSecondary: true,
      cell: ({ Scopes }) => Scopes.join(', ') || '–',
    },
    {
      id: 'consented',
      header: t('account.consented'),
      isSecondary: true,
      cell: ({ ConsentedAt }) => <Time at={ConsentedAt} />,
    },
    {
      id: 'signedIn',
      header: t('account.signedIn'),
      isSecondary: true,
      cell: ({ SignedInAt }) => <Time at={SignedInAt} />,
    },
    {
      id: 'actions',
      header: t('account.actions'),
      hasHiddenHeader: true,
      cell: (app) => (
        <RowAction
          isRed
          aria-label={t('security.removeOf', { name: app.Name })}
          onClick={() => onRemove(app)}
        >
          {t('security.remove')}
        </RowAction>
      ),
    },
  ];
}

function Remove({ app: { ID, Name }, onClose }: { app: App; onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const change = useChange('AccountApps_Delete', { stale: ['AccountApps_List'] });
  const onSuccess = () => {
    onClose();
    notify(t('account.appRemoved', { app: Name }));
  };
  return (
    <Confirm
      title={t('security.removeTitle', { name: Name })}
      action={t('security.remove')}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ ID }, { onSuccess })}
      onClose={onClose}
    >
      {t('account.appRemoveAbout', { app: Name })}
    </Confirm>
  );
}
