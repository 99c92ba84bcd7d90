import type { ItemOf } from '@bailiwick/client/client.ts';
import { rights } from '../grants/rights.ts';
import { WhatIf } from '../grants/what-if.tsx';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { useTexts } from '../parts/texts.tsx';

type Props = { role: ItemOf<'Roles_ListByTenant'>; onDone?: () => void; onClose: () => void };

/** Deletes a role, after it has shown the permissions that people lose by it. */
export function DeleteRole({ role: { Tenant, Slug }, onDone, onClose }: Props) {
  const { t } = useTexts();
  return (
    <ActionDialog
      operation="Roles_Delete"
      request={{ Tenant, Slug }}
      stale={['Roles_ListByTenant', ...rights]}
      title={t('access.deleteRole')}
      action={t('access.delete')}
      phrase={Slug}
      notice={t('access.deleted', { name: Slug })}
      {...(onDone && { onDone })}
      onClose={onClose}
    >
      <WhatIf change={{ Roles_Delete: { Tenant, Slug } }} />
    </ActionDialog>
  );
}
