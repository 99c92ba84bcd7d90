import type { ItemOf } from '@bailiwick/client/client.ts';
import { WhatIf } from '../grants/what-if.tsx';
import { ActionDialog } from '../parts/action-dialog.tsx';
import type { Column } from '../parts/cursor-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Labels } from '../parts/labels.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { RoleDialog } from './role-dialog.tsx';

type Role = ItemOf<'Roles_ListByTenant'>;

/** The roles of a tenant with their permissions. */
export function RolesPage() {
  const { t } = useTexts();
  const { ID, may } = useTenant();
  const mayWrite = may('iam.roles.write');
  const nameOf = ({ Name, Slug }: Role) => Name || Slug;
  const common = { may: mayWrite, isOffered: ({ System }: Role) => !System };
  return (
    <Page
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
            isRed: true,
            dialog: (role, onClose) => <Delete role={role} onClose={onClose} />,
          },
        ]}
        empty={<Empty icon="key" title={t('access.roles')} description={t('access.rolesAbout')} />}
      />
    </Page>
  );
}

function useColumns(): Column<Role>[] {
  const { t } = useTexts();
  return [
    {
      id: 'name',
      header: t('access.role'),
      cell: ({ Slug, Name, System }) => (
        <>
          <NameCell name={Name || Slug} detail={Slug} />
          {System && <Labels names={[t('access.builtIn')]} />}
        </>
      ),
    },
    {
      id: 'permissions',
      header: t('access.permissions'),
      isSecondary: true,
      cell: ({ Permissions }) => <Labels names={Permissions} most={6} />,
    },
  ];
}

function Delete({ role: { Tenant, Slug }, onClose }: { role: Role; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <ActionDialog
      operation="Roles_Delete"
      request={{ Tenant, Slug }}
      stale={['Roles_ListByTenant', 'Grants_ListByTenant']}
      title={t('access.deleteRole')}
      action={t('access.delete')}
      phrase={Slug}
      notice={t('access.deleted', { name: Slug })}
      onClose={onClose}
    >
      <WhatIf change={{ Roles_Delete: { Tenant, Slug } }} />
    </ActionDialog>
  );
}
