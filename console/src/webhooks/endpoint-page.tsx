import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Alert, Group, NativeSelect, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { HealthNotice } from '../deliveries/health-notice.tsx';
import { EndpointState, resultText } from '../deliveries/result.tsx';
import { useCall } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { useCursor } from '../parts/cursor.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { type Area, useArea } from './area.tsx';
import { AttemptList } from './attempt-list.tsx';
import { EndpointButtons } from './endpoint-buttons.tsx';
import { outcomes } from './filter.ts';
import { Health } from './health.tsx';

type Endpoint = ResponseOf<`${Area}_GetEndpoint`>['Endpoint'];

/** One endpoint: its settings, and the log of its deliveries. */
export function EndpointPage() {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const { area, mayWrite } = useArea();
  const { endpoint = '' } = useParams({ strict: false });
  const request = { Tenant, ID: endpoint };
  const { data, error, refetch } = useCall(`${area}_GetEndpoint`, request);
  return (
    <Page
      title={data?.Endpoint.Name ?? t('webhooks.endpoint')}
      description={
        data && <span style={{ overflowWrap: 'anywhere' }}>{placeOf(data.Endpoint)}</span>
      }
      actions={data && mayWrite && <EndpointButtons endpoint={data.Endpoint} />}
    >
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton height={240} />}
      {data && <Settings {...data.Endpoint} />}
      {data && <Health endpoint={endpoint} />}
      <SameByApi operation={`${area}_GetEndpoint`} request={request} />
      {data && <Log endpoint={endpoint} />}
    </Page>
  );
}

/** Where the deliveries go. The address of a chat channel is a secret. */
const placeOf = (endpoint: Endpoint): string => ('URL' in endpoint ? endpoint.URL : endpoint.Kind);

function Settings(endpoint: Endpoint) {
  const { t } = useTexts();
  const { ID, EventTypes, Description, DisabledReason, DisabledAt } = endpoint;
  const { RateLimit, PreviousSecretUntil } =
    'URL' in endpoint ? endpoint : { RateLimit: 0, PreviousSecretUntil: undefined };
  const events = EventTypes.length === 0 ? t('webhooks.allEvents') : EventTypes.join(', ');
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <EndpointState {...endpoint} />
        <Id id={ID} />
      </Group>
      {endpoint.Health && <HealthNotice health={endpoint.Health} />}
      {Description !== '' && <Text size="sm">{Description}</Text>}
      <Text size="sm">
        {t('webhooks.events')}: {events}
        {RateLimit > 0 && ` · ${t('webhooks.atMost', { rate: String(RateLimit) })}`}
      </Text>
      {DisabledReason !== '' && (
        <Alert color="red" icon={<Icon name="warning" />} title={t('webhooks.disabledByUs')}>
          <Text size="sm">
            {t('webhooks.disabledAbout')} <Time at={DisabledAt} />
          </Text>
        </Alert>
      )}
      {PreviousSecretUntil !== undefined && (
        <Text size="sm" c="dimmed">
          {t('webhooks.oldSecret')} <Time at={PreviousSecretUntil} />
        </Text>
      )}
    </Stack>
  );
}

/** The log. Its filter is in the address, so that it can be shared. */
function Log({ endpoint }: { endpoint: string }) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const { cursor, onCursor } = useCursor();
  const { outcome = '' } = useSearch({ strict: false });
  const choose = (next: string) =>
    void navigate({ to: '.', search: (next === '' ? {} : { outcome: next }) as never });
  const turn = (next: string) => {
    if (outcome === '') return onCursor(next);
    const search = { outcome, ...(next !== '' && { cursor: next }) };
    void navigate({ to: '.', search: search as never });
  };
  const choices = outcomes.map((name) => ({
    value: name,
    label: t(resultText(name) ?? 'webhooks.all'),
  }));
  return (
    <Stack gap="sm" component="section" aria-labelledby="delivery-log">
      <Group justify="space-between">
        <Title order={2} size="h4" id="delivery-log">
          {t('webhooks.log')}
        </Title>
        <NativeSelect
          size="sm"
          aria-label={t('webhooks.result')}
          value={outcome}
          onChange={(event) => choose(event.currentTarget.value)}
          data={[{ value: '', label: t('webhooks.all') }, ...choices]}
        />
      </Group>
      <AttemptList
        key={outcome}
        filter={{ Endpoint: endpoint, ...(outcome !== '' && { Outcome: outcome }) }}
        empty={t(outcome === '' ? 'webhooks.noDeliveries' : 'webhooks.noneLikeThis')}
        place={{ cursor, onCursor: turn }}
      />
    </Stack>
  );
}
