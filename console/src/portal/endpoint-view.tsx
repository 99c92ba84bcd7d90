import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Box, Button, Group, Image, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { HealthNotice } from '../deliveries/health-notice.tsx';
import { EndpointState } from '../deliveries/result.tsx';
import { useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { pageAt } from '../parts/place.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { ReplayDialog, RotateDialog, TestDialog } from './dialogs.tsx';
import { Log } from './log.tsx';
import { MessageView } from './message-view.tsx';

type PortalEndpoint = ResponseOf<'Portal_Get'>;

/** The endpoint of the link: its state, its log, and what the link allows. */
export function EndpointView() {
  const { data, error, refetch } = useCall('Portal_Get', {});
  const [message, setMessage] = useState('');
  return (
    <Box component="main" px="md" py="lg" maw={1040} mx="auto">
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton height={240} />}
      {data && (
        <Stack gap="lg">
          <Brand tenant={data.Tenant} expiresAt={data.ExpiresAt} />
          {message === '' ? (
            <>
              <Head {...data} />
              <Log abilities={data.Abilities} onMessage={setMessage} />
            </>
          ) : (
            <MessageView id={message} abilities={data.Abilities} onBack={() => setMessage('')} />
          )}
        </Stack>
      )}
    </Box>
  );
}

/** The organisation that sends the webhooks, as its users know it. */
function Brand({ tenant, expiresAt }: { tenant: string; expiresAt: string | undefined }) {
  const { t } = useTexts();
  const { data } = useCall('Tenants_GetBranding', { Tenant: tenant }, { staleTime: 600_000 });
  const { Name = '', LogoPath = '' } = data?.Branding ?? {};
  return (
    <Group justify="space-between" gap="xs">
      <Group gap="sm">
        {LogoPath !== '' && (
          <Image src={pageAt(LogoPath.replace(/^\//, ''))} alt="" h={28} w="auto" fit="contain" />
        )}
        <Text fw={600}>{Name}</Text>
      </Group>
      <Text size="sm" c="dimmed">
        {t('portal.until')} <Time at={expiresAt} />
      </Text>
    </Group>
  );
}

type DialogName = 'test' | 'replay' | 'rotate';

const buttons = [
  ['test', 'webhooks.test'],
  ['replay', 'webhooks.replay'],
  ['rotate', 'webhooks.rotate'],
] as const;

function Head({ Endpoint, Abilities }: PortalEndpoint) {
  const { t } = useTexts();
  const [open, setOpen] = useState<DialogName>();
  const [secret, setSecret] = useState('');
  const close = () => setOpen(undefined);
  return (
    <>
      <Group justify="space-between" align="start">
        <div style={{ flex: '1 1 20rem', minWidth: 0 }}>
          <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
            {Endpoint.Name}
          </Title>
          <Text c="dimmed" mt={4} style={{ overflowWrap: 'anywhere' }}>
            {Endpoint.URL}
          </Text>
        </div>
        <Group gap="xs">
          {buttons
            .filter(([ability]) => Abilities.includes(ability))
            .map(([name, text]) => (
              <Button key={name} variant="default" onClick={() => setOpen(name)}>
                {t(text)}
              </Button>
            ))}
        </Group>
      </Group>
      <State {...Endpoint} />
      {open === 'test' && <TestDialog onClose={close} />}
      {open === 'replay' && <ReplayDialog onClose={close} />}
      {open === 'rotate' && <RotateDialog onClose={close} onSecret={setSecret} />}
      {secret !== '' && (
        <ShownOnce title={t('webhooks.secret')} secret={secret} onClose={() => setSecret('')}>
          <Text size="sm">{t('portal.secretAbout')}</Text>
        </ShownOnce>
      )}
    </>
  );
}

function State({ EventTypes, ...endpoint }: PortalEndpoint['Endpoint']) {
  const { t } = useTexts();
  const { Health, PreviousSecretUntil } = endpoint;
  const events = EventTypes.length === 0 ? t('webhooks.allEvents') : EventTypes.join(', ');
  return (
    <Stack gap="sm" align="start">
      <EndpointState {...endpoint} />
      <Text size="sm">
        {t('webhooks.events')}: {events}
      </Text>
      {Health && <HealthNotice health={Health} />}
      {PreviousSecretUntil !== undefined && (
        <Text size="sm" c="dimmed">
          {t('webhooks.oldSecret')} <Time at={PreviousSecretUntil} />
        </Text>
      )}
    </Stack>
  );
}
