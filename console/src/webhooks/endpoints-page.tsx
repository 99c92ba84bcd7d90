import type { ItemOf } from '@bailiwick/client/client.ts';
import { Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { EndpointState } from '../deliveries/result.tsx';
import { pageOf, useCall } from '../parts/calls.ts';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { type Area, useArea } from './area.tsx';
import { AttemptList } from './attempt-list.tsx';
import { CreateChatDialog } from './chat-dialogs.tsx';
import { CreateDialog } from './endpoint-dialog.tsx';
import { NewSecret } from './new-secret.tsx';

type Endpoint = ItemOf<`${Area}_ListEndpoints`>;

/** The endpoints of a tenant, and the deliveries that failed for good. */
export function EndpointsPage() {
  const { t } = useTexts();
  const { ID } = useTenant();
  const { area, isChat, mayWrite } = useArea();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState('');
  const { cursor, onCursor } = useCursor();
  const request = { Tenant: ID, Page: { Limit: 25, Cursor: cursor } };
  const list = useCall(`${area}_ListEndpoints`, request, { keepsPrevious: true });
  const create = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
      {t(isChat ? 'webhooks.chatCreate' : 'webhooks.create')}
    </Button>
  );
  return (
    <Page
      title={t(isChat ? 'webhooks.chat' : 'webhooks.title')}
      about={t(isChat ? 'webhooks.chatAbout' : 'webhooks.about')}
      actions={mayWrite && create}
    >
      <CursorList
        label={t('webhooks.endpoints')}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        page={pageOf<`${Area}_ListEndpoints`>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        empty={
          <Empty
            icon={isChat ? 'chat' : 'bell'}
            title={t(isChat ? 'webhooks.chatNone' : 'webhooks.none')}
            about={t(isChat ? 'webhooks.chatNoneAbout' : 'webhooks.noneAbout')}
          />
        }
      />
      <SameByApi operation={`${area}_ListEndpoints`} request={request} />
      {(list.data?.Page.Items.length ?? 0) > 0 && (
        <Stack gap="sm" component="section" aria-labelledby="failed-deliveries">
          <Title order={2} size="h4" id="failed-deliveries">
            {t('webhooks.failedDeliveries')}
          </Title>
          <AttemptList filter={{ Outcome: 'failed' }} empty={t('webhooks.noFailures')} />
        </Stack>
      )}
      {isCreating && !isChat && (
        <CreateDialog onClose={() => setCreating(false)} onSecret={setSecret} />
      )}
      {isCreating && isChat && <CreateChatDialog onClose={() => setCreating(false)} />}
      {secret !== '' && <NewSecret secret={secret} onClose={() => setSecret('')} />}
    </Page>
  );
}

function useColumns(): Column<Endpoint>[] {
  const { t } = useTexts();
  const { views } = useArea();
  return [
    {
      id: 'name',
      header: t('webhooks.name'),
      cell: ({ ID, Name, ...endpoint }) => (
        <>
          <Anchor component={Link} to={`${views}/${ID}`} size="sm" fw={500}>
            {Name}
          </Anchor>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {'URL' in endpoint ? endpoint.URL : endpoint.Kind}
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
