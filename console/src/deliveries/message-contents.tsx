import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Box, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { Copy, Id } from '../parts/copy.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { readBody } from './body.ts';
import { ReceiverAnswer, Result } from './result.tsx';

type Message = ResponseOf<'Webhooks_GetMessage'>['Message'];

/** A message: its result, the receiver's answer to each attempt, and its body. */
export function MessageContents(message: Message) {
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
            <Table.Th scope="col" visibleFrom="sm">
              {t('webhooks.result')}
            </Table.Th>
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
                <Box hiddenFrom="sm">
                  <Outcome of={one} />
                </Box>
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Outcome of={one} />
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

/** The result of an attempt, and the time of the next one. */
function Outcome({ of: { Status, NextAttemptAt } }: { of: Message['Attempts'][number] }) {
  const { t } = useTexts();
  return (
    <>
      <Result status={Status} />
      {NextAttemptAt !== undefined && (
        <Text size="xs" c="dimmed">
          {t('webhooks.next')} <Time at={NextAttemptAt} />
        </Text>
      )}
    </>
  );
}
