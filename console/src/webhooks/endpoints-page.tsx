import type { ItemOf } from '@bailiwick/client/client.ts';
import { Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { pageOf, useCall } from '../parts/calls.ts';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { AttemptList } from './attempt-list.tsx';
import { CreateDialog } from './endpoint-dialog.tsx';
import { NewSecret } from './new-secret.tsx';
import { EndpointState } from './result.tsx';

type Endpoint = ItemOf<'Webhooks_ListEndpoints'>;

/** The endpoints of a tenant, and the deliveries that failed for good. */
export function EndpointsPage() {
  const { t } = useTexts();
  const { ID, may } = useTenant();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState('');
  const { cursor, onCursor } = useCursor();
  const request = { Tenant: ID, Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('Webhooks_ListEndpoints', request, { keepsPrevious: true });
  const create = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
      {t('webhooks.create')}
    </Button>
  );
  return (
    <Page
      title={t('webhooks.title')}
      about={t('webhooks.about')}
      actions={may('iam.webhooks.write') && create}
    >
      <CursorList
        label={t('webhooks.endpoints')}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        page={pageOf<'Webhooks_ListEndpoints'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        empty={<Empty icon="bell" title={t('webhooks.none')} about={t('webhooks.noneAbout')} />}
      />
      <SameByApi operation="Webhooks_ListEndpoints" request={request} />
      {(list.data?.Page.Items.length ?? 0) > 0 && (
        <Stack gap="sm" component="section" aria-labelledby="failed-deliveries">
          <Title order={2} size="h4" id="failed-deliveries">
            {t('webhooks.failedDeliveries')}
          </Title>
          <AttemptList filter={{ Outcome: 'failed' }} empty={t('webhooks.noFailures')} />
        </Stack>
      )}
      {isCreating && <CreateDialog onClose={() => setCreating(false)} onSecret={setSecret} />}
      {secret !== '' && <NewSecret secret={secret} onClose={() => setSecret('')} />}
    </Page>
  );
}

function useColumns(): Column<Endpoint>[] {
  const { t } = useTexts();
  const { Slug } = useTenant();
  return [
    {
      id: 'name',
      header: t('webhooks.name'),
      cell: ({ ID, Name, URL }) => (
        <>
          <Anchor component={Link} to={`/console/t/${Slug}/webhooks/${ID}`} size="sm" fw={500}>
            {Name}
          </Anchor>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {URL}
          </Text>
        </>
      ),
    },
    {
      id: 'events',
      header: t('webhooks.events'),
      isSecondary: true,
      cell: ({ EventTypes }) => (
        <Text size="sm">
          {EventTypes.length === 0 ? t('webhooks.allEvents') : EventTypes.join(', ')}
        </Text>
      ),
    },
    {
      id: 'state',
      header: t('webhooks.state'),
      cell: (endpoint) => <EndpointState {...endpoint} />,
    },
  ];
}
