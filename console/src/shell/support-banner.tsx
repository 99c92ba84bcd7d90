import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ownClient } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { isSupportTab, leaveSupport } from '../parts/support-access.ts';
import { useTexts } from '../parts/texts.tsx';

/** Says on every view that an operator acts as another user, for how long, and ends it. */
export const SupportBanner = () => (isSupportTab() ? <Banner /> : undefined);

function Banner() {
  const { t } = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { data } = useQuery({
    queryKey: ['Support_Get', 'own session'],
    queryFn: ({ signal }) => ownClient.call('Support_Get', {}, { signal }),
    refetchInterval: 30_000,
  });
  const { Session, User } = data ?? {};
  const secondsLeft = useSecondsUntil(Session?.ExpiresAt);
  const isOver = (data && !Session) || secondsLeft === 0;
  useEffect(() => {
    if (isOver) leaveSupport();
  }, [isOver]);
  async function end() {
    setBusy(true);
    try {
      await ownClient.call('Support_End', {});
      leaveSupport();
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  }
  return (
    <Alert
      role="region"
      aria-label={t('support.banner')}
      color="orange"
      icon={<Icon name="shield" />}
      mb="lg"
      pos="sticky"
      top={68}
      style={{ zIndex: 120 }}
    >
      <Group justify="space-between" gap="sm">
        <div>
          <Text size="sm" fw={600}>
            {t('support.actingAs', { person: User?.Email ?? '…' })}
          </Text>
          <Text size="sm" lineClamp={2}>
            <span role="timer">
              {secondsLeft !== undefined && t('support.left', { time: clock(secondsLeft) })}
            </span>
            {Session && ` · ${Session.Reason}`}
          </Text>
        </div>
        <Button size="compact-sm" color="red.8" loading={isBusy} onClick={() => void end()}>
          {t('support.end')}
        </Button>
      </Group>
      <FailureNotice error={failure} />
    </Alert>
  );
}

/** The seconds until a time, counted down; undefined without one. */
function useSecondsUntil(at: string | undefined): number | undefined {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return at === undefined ? undefined : Math.max(0, Math.ceil((Date.parse(at) - now) / 1000));
}

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
