import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { useAccount } from '../shell/session.tsx';
import { Section, type Stored } from './tenant-form.tsx';

type Props = { tenant: Stored };

/** Leaves a tenant, or deletes it. */
export function EndSection({ tenant }: Props) {
  const { t } = useTexts();
  const { may } = useTenant();
  const [open, setOpen] = useState<'leave' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <Section title={t('settings.end')} about={t('settings.endAbout')}>
      <Group>
        <Button variant="default" onClick={() => setOpen('leave')}>
          {t('settings.leave')}
        </Button>
        {may('iam.tenant.delete') && (
          <Button
            variant="default"
            c="var(--mantine-color-error)"
            onClick={() => setOpen('delete')}
          >
            {t('settings.delete')}
          </Button>
        )}
      </Group>
      {open === 'leave' && <Leave tenant={tenant} onClose={close} />}
      {open === 'delete' && <Delete tenant={tenant} onClose={close} />}
    </Section>
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
    await navigate({ to: '/console' });
  };
}

function Leave({ tenant: { ID, Name, Slug }, onClose }: DialogProps) {
  const { t } = useTexts();
  const { User } = useAccount();
  const sayGoodbye = useGoodbye();
  const change = useChange('TenantMembers_Remove');
  const onSuccess = () => void sayGoodbye(t('settings.left', { tenant: Name }));
  return (
    <Confirm
      title={t('settings.leaveOf', { tenant: Name })}
      action={t('settings.leave')}
      phrase={Slug}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ Tenant: ID, UserID: User.ID }, { onSuccess })}
      onClose={onClose}
    >
      {t('settings.leaveAbout')}
    </Confirm>
  );
}

function Delete({ tenant: { ID, Name, Slug }, onClose }: DialogProps) {
  const { t } = useTexts();
  const sayGoodbye = useGoodbye();
  const change = useChange('Tenants_Delete');
  const onSuccess = () => void sayGoodbye(t('settings.deleted', { tenant: Name }));
  return (
    <Confirm
      title={t('settings.deleteOf', { tenant: Name })}
      action={t('settings.delete')}
      phrase={Slug}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ Tenant: ID }, { onSuccess })}
      onClose={onClose}
    >
      {t('settings.deleteAbout')}
    </Confirm>
  );
}
