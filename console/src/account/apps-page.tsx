import type { ItemOf } from '@bailiwick/client/client.ts';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { Id } from '../parts/copy.tsx';
import type { Column } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useAccount } from '../shell/session.tsx';

type App = ItemOf<'AccountApps_List'>;

/** The applications with access to the user's account. */
export function AppsPage() {
  const { t } = useTexts();
  return (
    <Page title={t('account.apps')} description={t('account.appsAbout')}>
      <ListView
        operation="AccountApps_List"
        request={{}}
        label={t('account.apps')}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        actions={[
          {
            text: t('security.remove'),
            label: ({ Name }) => t('security.removeOf', { name: Name }),
            dialog: (app, onClose) => <Remove app={app} onClose={onClose} />,
          },
        ]}
        empty={
          <Empty icon="app" title={t('account.noApps')} description={t('account.noAppsAbout')} />
        }
      />
    </Page>
  );
}

function useColumns(): Column<App>[] {
  const { t } = useTexts();
  const { Tenants } = useAccount();
  const nameOf = (id: string) => Tenants.find(({ ID }) => ID === id)?.Name;
  return [
    {
      id: 'app',
      header: t('account.app'),
      cell: ({ ID, Name, Tenant }) => (
        <>
          <NameCell name={Name} detail={nameOf(Tenant)} />
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
  ];
}

function Remove({ app: { ID, Name }, onClose }: { app: App; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <ActionDialog
      operation="AccountApps_Delete"
      request={{ ID }}
      stale={['AccountApps_List']}
      title={t('security.removeTitle', { name: Name })}
      action={t('security.remove')}
      notice={t('account.appRemoved', { app: Name })}
      onClose={onClose}
    >
      {t('account.appRemoveAbout', { app: Name })}
    </ActionDialog>
  );
}
