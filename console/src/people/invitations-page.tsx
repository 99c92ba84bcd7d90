import type { ItemOf } from '@bailiwick/client/client.ts';
import { ActionDialog } from '../parts/action-dialog.tsx';
import type { Column } from '../parts/cursor-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Labels } from '../parts/labels.tsx';
import type { ListAction } from '../parts/list-actions.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page } from '../parts/page.tsx';
import { choicesOf, StateOf, type States } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { isResendable, useInvitationBulk } from './invitation-bulk.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { PeopleTabs } from './people-tabs.tsx';
import { ResendDialog } from './resend-dialog.tsx';

type Invitation = ItemOf<'TenantInvitations_List'>;

const statuses: States = {
  pending: { text: 'people.pending', color: 'accent.7' },
  accepted: { text: 'people.accepted', color: 'teal.9' },
  declined: { text: 'people.declined', color: 'gray.7' },
  revoked: { text: 'people.revoked', color: 'gray.7' },
  expired: { text: 'people.expired', color: 'orange.9' },
};

/** The invitations of a tenant: who was asked, with which roles, and what came of it. */
export function InvitationsPage() {
  const { t } = useTexts();
  const { ID, Name, may } = useTenant();
  const mayWrite = may('iam.invitations.write');
  return (
    <Page
      isList
      title={t('people.invitations')}
      description={t('people.invitationsAbout', { tenant: Name })}
      actions={
        mayWrite && (
          <DialogButton
            text={t('people.invite')}
            icon="plus"
            dialog={(onClose) => <InviteDialog onClose={onClose} />}
          />
        )
      }
    >
      <PeopleTabs current="members/invitations">
        <ListView
          operation="TenantInvitations_List"
          request={{ Tenant: ID }}
          label={t('people.invitations')}
          filters={{
            label: t('people.searchAddress'),
            choices: [
              { name: 'status', label: t('people.status'), values: choicesOf(statuses, t) },
            ],
          }}
          columns={useColumns()}
          idOf={({ ID }) => ID}
          actions={useActions()}
          bulk={useInvitationBulk()}
          empty={
            <Empty
              icon="mail"
              title={t('people.noInvitations')}
              description={t('start.inviteAbout')}
            />
          }
        />
      </PeopleTabs>
    </Page>
  );
}

function useActions(): ListAction<Invitation>[] {
  const { t } = useTexts();
  const mayWrite = useTenant().may('iam.invitations.write');
  return [
    {
      text: t('people.resend'),
      label: ({ Email }) => `${t('people.resend')}: ${Email}`,
      may: mayWrite,
      isOffered: isResendable,
      dialog: (invitation, onClose) => <ResendDialog {...invitation} onClose={onClose} />,
    },
    {
      text: t('people.withdraw'),
      label: ({ Email }) => t('people.withdrawOf', { email: Email }),
      may: mayWrite,
      isOffered: ({ Status }) => Status === 'pending',
      dialog: (invitation, onClose) => <Withdraw {...invitation} onClose={onClose} />,
    },
  ];
}

function useColumns(): Column<Invitation>[] {
  const { t } = useTexts();
  return [
    {
      id: 'email',
      sort: 'email',
      header: t('people.email'),
      cell: ({ Email }) => <NameCell name={Email} />,
    },
    {
      id: 'status',
      header: t('people.status'),
      cell: ({ Status }) => <StateOf states={statuses} state={Status} />,
    },
    {
      id: 'roles',
      header: t('people.roles'),
      isSecondary: true,
      cell: ({ Roles }) => <Labels names={Roles} />,
    },
    {
      id: 'created',
      sort: 'created',
      header: t('people.sent'),
      isSecondary: true,
      cell: ({ CreatedAt }) => <Time at={CreatedAt} />,
    },
    {
      id: 'expires',
      header: t('people.expires'),
      isSecondary: true,
      cell: ({ Status, ExpiresAt }) => <Time at={Status === 'pending' ? ExpiresAt : undefined} />,
    },
  ];
}

function Withdraw({ Tenant, Email, onClose }: Invitation & { onClose: () => void }) {
  const { t } = useTexts();
  return (
    <ActionDialog
      operation="TenantInvitations_Delete"
      request={{ Tenant, Email }}
      stale={['TenantInvitations_List']}
      title={t('people.withdrawTitle')}
      action={t('people.withdraw')}
      notice={t('people.withdrawn', { email: Email })}
      onClose={onClose}
    >
      {t('people.withdrawAbout', { email: Email })}
    </ActionDialog>
  );
}
