import type { ItemOf, OperationName } from '@bailiwick/client/client.ts';
import { Button, Group, Paper, Text, Title } from '@mantine/core';
import { useId } from 'react';
import { pageOf, useCall, useChange } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { useNotify } from '../parts/notify.ts';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';

type Offer = ItemOf<'Tenants_ListMine'>;

const stale: readonly OperationName[] = ['Tenants_ListMine', 'Account_Get'];

/** The tenants that have added the user or made an owner of the user, and wait for an answer. */
export function Invitations() {
  const { t } = useTexts();
  const notify = useNotify();
  const { data } = useCall('Tenants_ListMine', { Page: { Limit: 200 } });
  const accept = useChange('TenantMembers_Accept', { stale });
  const decline = useChange('TenantMembers_Decline', { stale });
  const page = pageOf<'Tenants_ListMine'>(data);
  const open =
    page?.items.filter(
      ({ Membership, OwnershipPending }) => Membership?.Status === 'pending' || OwnershipPending,
    ) ?? [];
  const answer =
    (change: typeof accept | typeof decline, said: TextKey, saidToOwner: TextKey) =>
    (offer: Offer) => {
      const text = offer.OwnershipPending ? saidToOwner : said;
      change.mutate(
        { Tenant: offer.ID },
        { onSuccess: () => notify(t(text, { tenant: offer.Name })) },
      );
    };
  return (
    <>
      <FailureNotice error={accept.error ?? decline.error} />
      {open.map((offer) => (
        <Offered
          key={offer.ID}
          offer={offer}
          isBusy={accept.isPending || decline.isPending}
          onAccept={answer(accept, 'account.accepted', 'account.ownershipAccepted')}
          onDecline={answer(decline, 'account.declined', 'account.ownershipDeclined')}
        />
      ))}
    </>
  );
}

type Props = {
  offer: Offer;
  isBusy: boolean;
  onAccept: (offer: Offer) => void;
  onDecline: (offer: Offer) => void;
};

function Offered({ offer, isBusy, onAccept, onDecline }: Props) {
  const { t } = useTexts();
  const id = useId();
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id}>
      <Group justify="space-between">
        <div style={{ flex: '1 1 18rem' }}>
          <Title order={2} size="h4" id={id}>
            {t(offer.OwnershipPending ? 'account.madeOwner' : 'account.invited', {
              tenant: offer.Name,
            })}
          </Title>
          <Text c="dimmed">
            {t(offer.OwnershipPending ? 'account.madeOwnerAbout' : 'account.invitedAbout')}
          </Text>
        </div>
        <Group gap="xs">
          <Button
            variant="default"
            aria-describedby={id}
            disabled={isBusy}
            onClick={() => onDecline(offer)}
          >
            {t('account.decline')}
          </Button>
          <Button aria-describedby={id} disabled={isBusy} onClick={() => onAccept(offer)}>
            {t('account.accept')}
          </Button>
        </Group>
      </Group>
    </Paper>
  );
}
