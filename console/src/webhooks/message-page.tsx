import { Anchor, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { type Delivery, DeliveryState, Sentence } from '../deliveries/fate.tsx';
import { DeliveryContents, MessageContents } from '../deliveries/message-contents.tsx';
import { useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { useArea } from './area.tsx';
import { ResendButton } from './resend-button.tsx';

/** One message: its fate, the receiver's answer to each attempt, and its body. */
export function MessagePage() {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const { area, views, mayWrite } = useArea();
  const { endpoint = '', message = '' } = useParams({ strict: false });
  const request = { Tenant, ID: endpoint, MessageID: message };
  const { data, error, refetch } = useCall(`${area}_GetMessage`, request);
  const { data: explanation, isLoading: isExplaining } = useExplanation(message);
  const delivery = explanation?.Endpoints.find(({ Endpoint }) => Endpoint === endpoint);
  const others = explanation?.Endpoints.filter(({ Endpoint }) => Endpoint !== endpoint) ?? [];
  const EventType = data?.Message.EventType ?? explanation?.EventType ?? '';
  const status = delivery?.State ?? data?.Message.Status;
  // An event that is not sent yet has no message, but an explanation.
  const hasFailed = error !== null && !delivery && !isExplaining;
  const mayResend = mayWrite && (data !== undefined || status === 'waiting');
  return (
    <Page
      title={EventType || t('webhooks.message')}
      description={
        <Anchor component={Link} to={`${views}/${endpoint}`} size="sm">
          {t('webhooks.toEndpoint')}
        </Anchor>
      }
      actions={
        mayResend && (
          <ResendButton
            {...{ Tenant, Endpoint: endpoint, ID: message, EventType }}
            isWaiting={status === 'waiting' || status === 'retry'}
          />
        )
      }
    >
      {hasFailed && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {data && <MessageContents message={data.Message} delivery={delivery} />}
      {!data && delivery && <DeliveryContents delivery={delivery} />}
      {!data && !hasFailed && !delivery && <Skeleton height={240} />}
      {others.length > 0 && <OtherEndpoints deliveries={others} />}
      <SameByApi operation={`${area}_GetMessage`} request={request} />
    </Page>
  );
}

/** The explanation of an event of webhooks. A message with an ID of its own has none. */
function useExplanation(event: string) {
  const { ID: Tenant } = useTenant();
  const { isChat } = useArea();
  const enabled = !isChat && event.startsWith('evt_');
  return useCall('Webhooks_ExplainDelivery', { Tenant, Event: event }, { enabled });
}

/** The fate of the same event at the tenant's other endpoints. */
function OtherEndpoints({ deliveries }: { deliveries: readonly Delivery[] }) {
  const { t } = useTexts();
  const { views } = useArea();
  return (
    <Stack gap="xs" component="section" aria-labelledby="other-endpoints">
      <Title order={2} size="h4" id="other-endpoints">
        {t('webhooks.atOthers')}
      </Title>
      <Paper withBorder p={0} style={{ overflowX: 'auto' }}>
        <Table verticalSpacing="sm" aria-labelledby="other-endpoints">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('webhooks.endpoint')}</Table.Th>
              <Table.Th scope="col">{t('webhooks.state')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {deliveries.map((delivery) => (
              <Table.Tr key={delivery.Endpoint}>
                <Table.Td>
                  <Anchor component={Link} to={`${views}/${delivery.Endpoint}`} size="sm">
                    <bdi>{delivery.Name}</bdi>
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <DeliveryState {...delivery} />
                  <Text size="xs" c="dimmed" mt={4}>
                    <Sentence {...delivery} />
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Stack>
  );
}
