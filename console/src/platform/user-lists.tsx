import type { ItemOf } from '@bailiwick/client/client.ts';
import { Text } from '@mantine/core';
import { useCall } from '../parts/calls.ts';
import { usePartCursor } from '../parts/cursor.ts';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { PageSection } from '../parts/page-section.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useEntryColumns } from './entries.tsx';
import { type ActName, UserAct } from './user-acts.tsx';

type Props = { id: string };

/** The roles of a user, in all tenants and on the platform. */
export function UserGrants({ id }: Props) {
  const { t } = useTexts();
  return (
    <PageSection title={t('platform.roles')}>
      <ListView
        operation="Grants_List"
        request={{ UserID: id }}
        label={t('platform.roles')}
        columns={[
          {
            id: 'role',
            header: t('platform.role'),
            cell: ({ Role, Resource, Tenant }) => (
              <>
                <NameCell name={Role} detail={Resource} />
                <Text size="sm" component="div" hiddenFrom="sm">
                  <Place tenant={Tenant} />
                </Text>
              </>
            ),
          },
          {
            id: 'tenant',
            header: t('platform.tenant'),
            isSecondary: true,
            cell: ({ Tenant }) => <Place tenant={Tenant} />,
          },
          {
            id: 'since',
            header: t('platform.roleSince'),
            isSecondary: true,
            cell: ({ CreatedAt }) => <Time at={CreatedAt} />,
          },
        ]}
        idOf={({ ID }) => ID}
        place={usePartCursor()}
        limit={10}
        empty={<Text c="dimmed">{t('platform.noRoles')}</Text>}
      />
    </PageSection>
  );
}

/** The tenant in which a role counts, or the platform. */
function Place({ tenant }: { tenant: string }) {
  const { t } = useTexts();
  const enabled = tenant !== '';
  const { data } = useCall('Tenants_Get', { Tenant: tenant }, { enabled, staleTime: 300_000 });
  if (!enabled) return t('shell.platform');
  const name = data?.Tenant.Name ?? tenant;
  return <NameCell name={name} to={`/console/platform/tenants/${tenant}`} />;
}

type IdentityProps = { user: { ID: string; Email: string }; mayAct: boolean };
type Identity = ItemOf<'Users_ListIdentities'>;

/** The accounts at providers that a user signs in with. */
export function UserIdentities({ user, mayAct }: IdentityProps) {
  const { t } = useTexts();
  const act = (name: ActName) => {
    const ActDialog = ({ Provider }: Identity, onClose: () => void) => (
      <UserAct name={name} user={user} request={{ Provider }} onClose={onClose} />
    );
    return ActDialog;
  };
  return (
    <PageSection title={t('security.identities')}>
      <ListView
        operation="Users_ListIdentities"
        request={{ UserID: user.ID }}
        label={t('security.identities')}
        columns={[
          {
            id: 'identity',
            header: t('signon.provider'),
            cell: ({ Email, Issuer }) => <NameCell name={Email || Issuer} detail={Issuer} />,
          },
          {
            id: 'used',
            header: t('platform.signedIn'),
            isSecondary: true,
            cell: ({ LastUsedAt }) => <Time at={LastUsedAt} />,
          },
        ]}
        idOf={({ Provider }) => Provider}
        actions={[
          {
            text: t('security.confirm'),
            label: (identity) => `${t('security.confirm')}: ${identity.Email || identity.Issuer}`,
            may: mayAct,
            isOffered: ({ Limited }) => Limited,
            dialog: act('confirmIdentity'),
          },
          {
            text: t('security.remove'),
            label: ({ Email, Issuer }) => t('security.removeOf', { name: Email || Issuer }),
            may: mayAct,
            dialog: act('removeIdentity'),
          },
        ]}
        place={usePartCursor()}
        limit={10}
        empty={<Text c="dimmed">{t('platform.noIdentities')}</Text>}
      />
    </PageSection>
  );
}

/** The last actions of a user, in all tenants and on the platform. */
export function UserEntries({ id }: Props) {
  const { t } = useTexts();
  return (
    <PageSection title={t('platform.lastActions')}>
      <ListView
        operation="Audit_ListByUser"
        request={{ UserID: id }}
        label={t('platform.lastActions')}
        columns={useEntryColumns()}
        idOf={({ ID }) => ID}
        place={usePartCursor()}
        limit={10}
        empty={<Text c="dimmed">{t('platform.noEntries')}</Text>}
      />
    </PageSection>
  );
}
