import type { ItemOf } from '@bailiwick/client/client.ts';
import { useSearch } from '@tanstack/react-router';
import type { Column } from '../parts/cursor-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Labels } from '../parts/labels.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { AccessTabs } from './access-tabs.tsx';
import { DeleteRole } from './delete-role.tsx';
import { RoleDialog } from './role-dialog.tsx';
import { RolePage } from './role-page.tsx';

type Role = ItemOf<'Roles_ListByTenant'>;

/** The roles of a tenant, or one of them. */
export function RolesPage() {
  const { role }: { role?: string } = useSearch({ strict: false });
  return role === undefined ? <Roles /> : <RolePage key={role} slug={role} />;
}

function Roles() {
  const { t } = useTexts();
  const { ID, may } = useTenant();
  const mayWrite = may('iam.roles.write');
  const nameOf = ({ Name, Slug }: Role) => Name || Slug;
  const common = { may: mayWrite, isOffered: ({ System }: Role) => !System };
  return (
    <Page
      isList
      title={t('access.roles')}
      description={t('access.rolesAbout')}
      actions={
        mayWrite && (
          <DialogButton
            text={t('access.addRole')}
            icon="plus"
            dialog={(onClose) => <RoleDialog onClose={onClose} />}
          />
        )
      }
    >
      <AccessTabs current="roles">
        <ListView
          operation="Roles_ListByTenant"
          request={{ Tenant: ID }}
          label={t('access.roles')}
          columns={useColumns()}
          idOf={({ Slug }) => Slug}
          actions={[
            {
              ...common,
              text: t('access.edit'),
              label: (role) => `${t('access.edit')}: ${nameOf(role)}`,
              dialog: (role, onClose) => <RoleDialog role={role} onClose={onClose} />,
            },
            {
              ...common,
              text: t('access.delete'),
              label: (role) => `${t('access.delete')}: ${nameOf(role)}`,
              dialog: (role, onClose) => <DeleteRole role={role} onClose={onClose} />,
            },
          ]}
          empty={
            <Empty icon="shield" title={t('access.roles')} description={t('access.rolesAbout')} />
          }
        />
      </AccessTabs>
    </Page>
  );
}

function useColumns(): Column<Role>[] {
  const { t } = useTexts();
  const { Slug: tenant } = useTenant();
  return [
    {
      id: 'name',
      header: t('access.role'),
      cell: ({ Slug, Name, System }) => (
        <NameCell
          name={Name || Slug}
          to={`/console/t/${tenant}/roles?role=${Slug}`}
          detail={[Name !== '' && Slug, System && t('access.builtIn')].filter(Boolean).join(' · ')}
        />
      ),
    },
    {
      id: 'permissions',
      header: t('access.permissions'),
      isSecondary: true,
      cell: ({ Permissions }) => <Labels names={Permissions} most={4} />,
    },
  ];
}
