import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Alert, Paper, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { version } from '../../package.json';
import { useCall } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { pageAt } from '../parts/place.ts';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { Totals } from './totals.tsx';

type Status = ResponseOf<'Queues_Status'>;

const lanes: Readonly<Record<string, TextKey>> = {
  webhook: 'platform.laneWebhook',
  chat: 'platform.laneChat',
  logout: 'platform.laneLogout',
  slow: 'platform.laneSlow',
  replay: 'platform.laneReplay',
  email: 'platform.laneEmail',
};

/** From this age on, a quick lane is late. The slow lanes may wait for longer. */
const lateSeconds = 60;
const slowLanes = ['slow', 'replay'];
const isLate = ({ Lane, AgeSeconds }: Status['Lanes'][number]) =>
  AgeSeconds > (slowLanes.includes(Lane) ? 10 : 1) * lateSeconds;

/** The queue, the endpoints that hold it up, and whether the services are ready. */
export function HealthPage() {
  const { t } = useTexts();
  const { data, error, refetch } = useCall('Queues_Status', {}, { staleTime: 5000 });
  return (
    <Page title={t('platform.health')} description={t('platform.healthAbout')}>
      <Ready />
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={220} />}
      {data && (
        <>
          <Title order={2} size="h4">
            {t('platform.lanes')}
          </Title>
          <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm">
            {data.Lanes.map((lane) => (
              <Lane key={lane.Lane} lane={lane} />
            ))}
          </SimpleGrid>
          <Text size="sm" c={data.DeadLetters > 0 ? 'var(--mantine-color-error)' : 'dimmed'}>
            {t('platform.deadLetters', { count: String(data.DeadLetters) })}
          </Text>
          <Failing endpoints={data.FailingEndpoints} />
        </>
      )}
      <Totals />
      <SameByApi operation="Queues_Status" request={{}} />
    </Page>
  );
}

/** Whether the gateway reaches every service, and the version of the console and its gateway. */
function Ready() {
  const { t } = useTexts();
  const { data } = useQuery({
    queryKey: ['readyz'],
    queryFn: async ({ signal }) => {
      const response = await fetch(pageAt('readyz'), { signal });
      return { isReady: response.ok, answer: (await response.text()).trim() };
    },
    refetchInterval: 30_000,
  });
  if (data === undefined) return <Skeleton height={52} />;
  const { isReady, answer } = data;
  // A gateway that is ready may name concerns, such as a disk that is nearly full.
  const isWell = isReady && answer === 'ok';
  return (
    <Alert
      color={isWell ? 'teal' : isReady ? 'yellow' : 'red'}
      icon={<Icon name={isWell ? 'check' : 'warning'} />}
      title={t(isReady ? 'platform.ready' : 'platform.notReady')}
    >
      {!isWell && (
        <Text size="sm" lang="en" style={{ whiteSpace: 'pre-line' }}>
          {answer}
        </Text>
      )}
      <Text size="sm">{t('platform.version', { version })}</Text>
    </Alert>
  );
}

function Lane({ lane }: { lane: Status['Lanes'][number] }) {
  const { t, locale } = useTexts();
  const { Lane: name, AgeSeconds, Waiting } = lane;
  const text = lanes[name];
  const number = new Intl.NumberFormat(locale);
  return (
    <Paper withBorder p="md" data-lane={name}>
      <Stack gap={2}>
        <Text size="sm" c="dimmed">
          {text ? t(text) : name}
        </Text>
        <Text fw={600} size="lg">
          {t('platform.seconds', { seconds: number.format(AgeSeconds) })}
        </Text>
        <Text size="xs" c="dimmed">
          {t('platform.waiting', { count: number.format(Waiting) })}
        </Text>
        <State color={isLate(lane) ? 'red.8' : 'teal.9'}>
          {t(isLate(lane) ? 'platform.late' : 'platform.inTime')}
        </State>
      </Stack>
    </Paper>
  );
}

function Failing({ endpoints }: { endpoints: Status['FailingEndpoints'] }) {
  const { t } = useTexts();
  if (endpoints.length === 0)
    return (
      <Empty
        icon="check"
        title={t('platform.noFailing')}
        description={t('platform.noFailingAbout')}
      />
    );
  return (
    <>
      <Title order={2} size="h4">
        {t('platform.failing')}
      </Title>
      <Paper withBorder p={0} style={{ overflowX: 'auto' }}>
        <Table aria-label={t('platform.failing')} verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('platform.endpoint')}</Table.Th>
              <Table.Th>{t('platform.since')}</Table.Th>
              <Table.Th visibleFrom="sm">{t('platform.lastError')}</Table.Th>
              <Table.Th visibleFrom="sm">{t('platform.tasks')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {endpoints.map((endpoint) => (
              <Row key={endpoint.Endpoint} endpoint={endpoint} />
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </>
  );
}

function Row({ endpoint }: { endpoint: Status['FailingEndpoints'][number] }) {
  const { t } = useTexts();
  const { Tenant, Endpoint, Name, FailingSince, PausedUntil, Waiting, DeadLetters } = endpoint;
  const error = [endpoint.StatusCode || '', endpoint.Error].filter(Boolean).join(' ');
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600}>
          {Name || Endpoint}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm" style={{ overflowWrap: 'anywhere' }}>
          {error}
        </Text>
        <Stack gap={0} visibleFrom="sm">
          <Id id={Endpoint} />
          <Id id={Tenant} />
        </Stack>
      </Table.Td>
      <Table.Td>
        <Time at={FailingSince} />
        {PausedUntil !== undefined && (
          <Text size="xs" c="dimmed">
            {t('platform.paused')} <Time at={PausedUntil} />
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">{error || '–'}</Table.Td>
      <Table.Td visibleFrom="sm">
        {t('platform.tasksOf', { waiting: String(Waiting), dead: String(DeadLetters) })}
      </Table.Td>
    </Table.Tr>
  );
}
