import type { ItemOf } from '@bailiwick/client/client.ts';
import type { BulkAction } from '../parts/bulk-bar.tsx';
import { BulkDialog } from '../parts/bulk-dialog.tsx';
import { client } from '../parts/calls.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

type Invitation = ItemOf<'TenantInvitations_List'>;

type Props = { items: readonly Invitation[]; onClose: (done: readonly Invitation[]) => void };

const stale = ['TenantInvitations_List'] as const;

const addressOf = ({ Email }: Invitation) => Email;

/** Whether an invitation can be sent again. */
export const isResendable = ({ Status }: Invitation) =>
  Status === 'pending' || Status === 'expired';

/** The changes of several invitations. */
export function useInvitationBulk(): BulkAction<Invitation>[] {
  const { t } = useTexts();
  const { may } = useTenant();
  const mayWrite = may('iam.invitations.write');
  return [
    {
      text: t('people.resend'),
      may: mayWrite,
      isOffered: isResendable,
      dialog: (items, onClose) => <Resend items={items} onClose={onClose} />,
    },
    {
      text: t('people.withdraw'),
      may: mayWrite,
      isOffered: ({ Status }) => Status === 'pending',
      dialog: (items, onClose) => <Withdraw items={items} onClose={onClose} />,
    },
  ];
}

function Resend(props: Props) {
  const { t } = useTexts();
  return (
    <BulkDialog
      {...props}
      nameOf={addressOf}
      title={t('people.resendMany')}
      action={t('people.resend')}
      isHarmless
      call={({ Tenant, Email, Roles, Groups }) =>
        client.call('TenantInvitations_Create', { Tenant, Email, Roles, Groups })
      }
      stale={stale}
      notice={(count) => t('people.resentMany', { count })}
    >
      {t('people.resendManyAbout')}
    </BulkDialog>
  );
}

function Withdraw(props: Props) {
  const { t } = useTexts();
  return (
    <BulkDialog
      {...props}
      nameOf={addressOf}
      title={t('people.withdrawMany')}
      action={t('people.withdraw')}
      call={({ Tenant, Email }) => client.call('TenantInvitations_Delete', { Tenant, Email })}
      stale={stale}
      notice={(count) => t('people.withdrawnMany', { count })}
    >
      {t('people.withdrawManyAbout')}
    </BulkDialog>
  );
}
