import type { ItemOf } from '@bailiwick/client/client.ts';
import { Paper, Text, Title } from '@mantine/core';
import { useId } from 'react';
import { pageOf, useCall } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useAccount } from '../shell/session.tsx';

type Invitation = ItemOf<'TenantInvitations_ListByEmail'>;

/** The open invitations of the user's address. The link in the mail accepts or declines one. */
export function MailedInvitations() {
  const { User } = useAccount();
  const request = { Email: User.Email, Page: { Limit: 50 } };
  const enabled = User.EmailVerified;
  const { data } = useCall('TenantInvitations_ListByEmail', request, { enabled });
  const page = pageOf<'TenantInvitations_ListByEmail'>(data);
  const open = page?.items.filter(({ Status }) => Status === 'pending') ?? [];
  return open.map((invitation) => <Mailed key={invitation.ID} invitation={invitation} />);
}

function Mailed({ invitation: { Tenant, Roles, ExpiresAt } }: { invitation: Invitation }) {
  const { t } = useTexts();
  const id = useId();
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id}>
      <Title order={2} size="h4" id={id}>
        {t('account.mailed')}
      </Title>
      <Text c="dimmed">{t('account.mailedAbout')}</Text>
      <Text size="sm" component="div" mt="xs">
        <Id id={Tenant} /> {Roles.join(', ')} · {t('account.mailedUntil')} <Time at={ExpiresAt} />
      </Text>
    </Paper>
  );
}
