import { Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { Card } from '../parts/card.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { useAccount } from '../shell/session.tsx';
import type { FullTenant } from './tenant-form.tsx';

type Props = { tenant: FullTenant };

/** Leaves a tenant, or deletes it. */
export function EndSection({ tenant }: Props) {
  const { t } = useTexts();
  const { may } = useTenant();
  return (
    <Card title={t('settings.end')} description={t('settings.endAbout')}>
      <Group>
        <DialogButton
          text={t('settings.leave')}
          dialog={(onClose) => <Leave tenant={tenant} onClose={onClose} />}
        />
        {may('iam.tenant.delete') && (
          <DialogButton
            text={t('settings.delete')}
            dialog={(onClose) => <Delete tenant={tenant} onClose={onClose} />}
          />
        )}
      </Group>
    </Card>
  );
}

type DialogProps = Props & { onClose: () => void };

/** Goes to the start page, where the tenant is not listed any more. */
function useGoodbye() {
  const notify = useNotify();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async (message: string) => {
    notify(message);
    // The start page would lead back to a tenant that the account still names.
    await queries.invalidateQueries({ queryKey: ['Account_Get'] });
    // Changes of a tenant that is gone cannot be saved.
    await navigate({ to: '/console', ignoreBlocker: true });
  };
}

function Leave({ tenant: { ID, Name, Slug }, onClose }: DialogProps) {
  const { t } = useTexts();
  const { User } = useAccount();
  const sayGoodbye = useGoodbye();
  const onSuccess = () => void sayGoodbye(t('settings.left', { tenant: Name }));
  return (
    <ActionDialog
      operation="TenantMembers_Remove"
      request={{ Tenant: ID, UserID: User.ID }}
      title={t('settings.leaveOf', { tenant: Name })}
      action={t('settings.leave')}
      phrase={Slug}
      onDone={onSuccess}
      onClose={onClose}
    >
      {t('settings.leaveAbout')}
    </ActionDialog>
  );
}

function Delete({ tenant: { ID, Name, Slug }, onClose }: DialogProps) {
  const { t } = useTexts();
  const sayGoodbye = useGoodbye();
  const onSuccess = () => void sayGoodbye(t('settings.deleted', { tenant: Name }));
  return (
    <ActionDialog
      operation="Tenants_Delete"
      request={{ Tenant: ID }}
      title={t('settings.deleteOf', { tenant: Name })}
      action={t('settings.delete')}
      phrase={Slug}
      onDone={onSuccess}
      onClose={onClose}
    >
      {t('settings.deleteAbout')}
    </ActionDialog>
  );
}
