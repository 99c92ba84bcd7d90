import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Anchor, Group, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useCall } from '../parts/calls.ts';
import { Copy, Id } from '../parts/copy.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { type Area, useArea } from './area.tsx';
import { readBody } from './body.ts';
import { ResendButton } from './resend-button.tsx';
import { ReceiverAnswer, Result } from './result.tsx';

type Message = ResponseOf<`${Area}_GetMessage`>['Message'];

/** One message: its body, and the receiver's answer to each attempt. */
export function MessagePage() {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const { area, views, mayWrite } = useArea();
  const { endpoint = '', message = '' } = useParams({ strict: false });
  const request = { Tenant, ID: endpoint, MessageID: message };
  const { data, error, refetch } = useCall(`${area}_GetMessage`, request);
  const mayResend = mayWrite && data;
  return (
    <Page
      title={data?.Message.EventType ?? t('webhooks.message')}
      about={
        <Anchor component={Link} to={`${views}/${endpoint}`} size="sm">
          {t('webhooks.toEndpoint')}
        </Anchor>
      }
      actions={mayResend && <ResendButton {...data.Message} />}
    >
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {data ? <Contents {...data.Message} /> : !error && <Skeleton height={240} />}
      <SameByApi operation={`${area}_GetMessage`} request={request} />
    </Page>
  );
}

function Contents(message: Message) {
  const { t } = useTexts();
  const { text, isCut } = readBody(message.Body);
  return (
    <Stack gap="lg">
      <Group gap="sm">
        <Result status={message.Status} />
        <Id id={message.ID} />
      </Group>
      <Stack gap="xs" component="section" aria-labelledby="message-attempts">
        <Title order={2} size="h4" id="message-attempts">
          {t('webhooks.attempts')}
        </Title>
        <Attempts attempts={message.Attempts} />
      </Stack>
      <Stack gap="xs" component="section" aria-labelledby="message-body">
        <Group justify="space-between">
          <Title order={2} size="h4" id="message-body">
            {t('webhooks.body')}
          </Title>
          <Copy text={text} what={t('webhooks.body')} />
        </Group>
        <Paper withBorder p="sm">
          <pre
            className="console-code"
            tabIndex={0}
            aria-labelledby="message-body"
            style={{ maxHeight: 420, overflow: 'auto' }}
          >
            {text}
          </pre>
        </Paper>
        {isCut && (
          <Text size="sm" c="dimmed">
            {t('webhooks.bodyCut')}
          </Text>
        )}
      </Stack>
    </Stack>
  );
}

function Attempts({ attempts }: { attempts: Message['Attempts'] }) {
  const { t } = useTexts();
  return (
    <Paper withBorder p={0} style={{ overflowX: 'auto' }}>
      <Table verticalSpacing="sm" aria-labelledby="message-attempts">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('webhooks.attempt')}</Table.Th>
            <Table.Th scope="col">{t('webhooks.result')}</Table.Th>
            <Table.Th scope="col">{t('webhooks.answer')}</Table.Th>
            <Table.Th scope="col" visibleFrom="sm">
              {t('webhooks.took')}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {attempts.map((one) => (
            <Table.Tr key={`${one.StartedAt} ${one.Attempt}`}>
              <Table.Td>
                <Text size="sm">
                  {one.Attempt} · <Time at={one.StartedAt} />
                </Text>
              </Table.Td>
              <Table.Td>
                <Result status={one.Status} />
                {one.NextAttemptAt !== undefined && (
                  <Text size="xs" c="dimmed">
                    {t('webhooks.next')} <Time at={one.NextAttemptAt} />
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <ReceiverAnswer {...one} />
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Text size="sm">{t('webhooks.ms', { ms: String(one.DurationMs) })}</Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
