import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Box, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { Copy, Id } from '../parts/copy.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { readBody } from './body.ts';
import { type Delivery, Fate } from './fate.tsx';
import { ReceiverAnswer, Result } from './result.tsx';

type Message = ResponseOf<'Webhooks_GetMessage'>['Message'];

type Props = { message: Message; delivery: Delivery | undefined };

/** A message: its fate, the receiver's answer to each attempt, and its body. */
export function MessageContents({ message, delivery }: Props) {
  const { t } = useTexts();
  const { text, isCut } = readBody(message.Body);
  return (
    <Stack gap="lg">
      <Group gap="sm">
        {!delivery && <Result status={message.Status} />}
        <Id id={message.ID} />
      </Group>
      {delivery && <Fate delivery={delivery} />}
      <Attempts attempts={message.Attempts} isExplained={delivery !== undefined} />
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

/** A delivery whose message is not stored, or must not be read: its fate and its attempts. */
export const DeliveryContents = ({ delivery }: { delivery: Delivery }) => (
  <Stack gap="lg">
    <Fate delivery={delivery} />
    {delivery.Attempts.length > 0 && <Attempts attempts={delivery.Attempts} isExplained />}
  </Stack>
);

type AttemptsProps = { attempts: Message['Attempts']; isExplained: boolean };

function Attempts({ attempts, isExplained }: AttemptsProps) {
  const { t } = useTexts();
  return (
    <Stack gap="xs" component="section" aria-labelledby="message-attempts">
      <Title order={2} size="h4" id="message-attempts">
        {t('webhooks.attempts')}
      </Title>
      <AttemptTable attempts={attempts} isExplained={isExplained} />
    </Stack>
  );
}

function AttemptTable({ attempts, isExplained }: AttemptsProps) {
  const { t } = useTexts();
  const last = attempts.at(-1);
  const isNextShown = (one: Message['Attempts'][number]) => !isExplained && one === last;
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
                  <Outcome of={one} isNextShown={isNextShown(one)} />
                </Box>
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Outcome of={one} isNextShown={isNextShown(one)} />
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

type OutcomeProps = { of: Message['Attempts'][number]; isNextShown: boolean };

/** The result of an attempt, and the time of the next one if that is still to come. */
function Outcome({ of: { Status, NextAttemptAt }, isNextShown }: OutcomeProps) {
  const { t } = useTexts();
  return (
    <>
      <Result status={Status} />
      {isNextShown && NextAttemptAt !== undefined && Date.parse(NextAttemptAt) > Date.now() && (
        <Text size="xs" c="dimmed">
          {t('webhooks.next')} <Time at={NextAttemptAt} />
        </Text>
      )}
    </>
  );
}
