import type { ItemOf } from '@bailiwick/client/client.ts';
import { Stack, Text, Title } from '@mantine/core';
import { EndpointStateCell } from '../deliveries/result.tsx';
import type { Column } from '../parts/cursor-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { type Area, useArea } from './area.tsx';
import { AttemptList } from './attempt-list.tsx';
import { CreateChatDialog } from './chat-dialogs.tsx';
import { CreateDialog } from './endpoint-dialog.tsx';

type Endpoint = ItemOf<`${Area}_ListEndpoints`>;

/** The endpoints of a tenant, and the deliveries that failed for good. */
export function EndpointsPage() {
  const { t } = useTexts();
  const { ID } = useTenant();
  const { area, isChat, mayWrite } = useArea();
  const Create = isChat ? CreateChatDialog : CreateDialog;
  return (
    <Page
      isList
      title={t(isChat ? 'webhooks.chat' : 'webhooks.title')}
      description={t(isChat ? 'webhooks.chatAbout' : 'webhooks.about')}
      actions={
        mayWrite && (
          <DialogButton
            text={t(isChat ? 'webhooks.chatCreate' : 'webhooks.create')}
            icon="plus"
            dialog={(onClose) => <Create onClose={onClose} />}
          />
        )
      }
    >
      <ListView
        operation={`${area}_ListEndpoints`}
        request={{ Tenant: ID }}
        label={t('webhooks.endpoints')}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        empty={
          <Empty
            icon={isChat ? 'chat' : 'bell'}
            title={t(isChat ? 'webhooks.chatNone' : 'webhooks.none')}
            description={t(isChat ? 'webhooks.chatNoneAbout' : 'webhooks.noneAbout')}
          />
        }
      >
        <Stack gap="sm" component="section" aria-labelledby="failed-deliveries">
          <Title order={2} size="h4" id="failed-deliveries">
            {t('webhooks.failedDeliveries')}
          </Title>
          <AttemptList filter={{ Outcome: 'failed' }} empty={t('webhooks.noFailures')} />
        </Stack>
      </ListView>
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
        <NameCell
          name={Name}
          to={`${views}/${ID}`}
          detail={'URL' in endpoint ? endpoint.URL : endpoint.Kind}
        />
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
      cell: (endpoint) => <EndpointStateCell {...endpoint} />,
    },
  ];
}
