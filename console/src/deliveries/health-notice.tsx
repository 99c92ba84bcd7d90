import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Alert, Text } from '@mantine/core';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { LastError } from './result.tsx';

type Health = NonNullable<ResponseOf<'Webhooks_GetEndpoint'>['Endpoint']['Health']>;

/** The reason why an endpoint gets no deliveries, if it fails or is paused, and its numbers. */
export function HealthNotice({ health }: { health: Health }) {
  const { t } = useTexts();
  const { FailingSince, PausedUntil, Waiting, Attempts, SuccessPercent, State } = health;
  const isTroubled = FailingSince !== undefined || PausedUntil !== undefined;
  return (
    <>
      {isTroubled && State !== 'off' && (
        <Alert
          w="100%"
          color={FailingSince === undefined ? 'orange' : 'red'}
          icon={<Icon name="warning" />}
          title={t(FailingSince === undefined ? 'webhooks.paused' : 'portal.failing')}
        >
          {FailingSince !== undefined && (
            <Text size="sm">
              {t('portal.failingSince')} <Time at={FailingSince} />
            </Text>
          )}
          {PausedUntil !== undefined && (
            <Text size="sm">
              {t('portal.pausedUntil')} <Time at={PausedUntil} />
            </Text>
          )}
          {health.LastError && (
            <Text size="sm">
              {t('webhooks.lastError')}: <LastError {...health.LastError} />
            </Text>
          )}
        </Alert>
      )}
      {Attempts > 0 && (
        <Text size="sm">
          {t('webhooks.success', { percent: String(SuccessPercent), count: String(Attempts) })}
        </Text>
      )}
      {Waiting > 0 && (
        <Text size="sm">
          {t('webhooks.waitingCount', { count: Waiting < 1000 ? String(Waiting) : '1000+' })}
        </Text>
      )}
    </>
  );
}
