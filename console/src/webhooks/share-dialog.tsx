import type { ItemOf, ResponseOf } from '@bailiwick/client/client.ts';
import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  Paper,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useState } from 'react';
import { CallForm } from '../parts/call-form.tsx';
import { pageOf, useCall, useChange } from '../parts/calls.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { amountOf } from '../parts/times.ts';

type Endpoint = ResponseOf<'Webhooks_GetEndpoint'>['Endpoint'];
type Props = { endpoint: Endpoint; onClose: () => void };

const abilities = {
  bodies: 'share.bodies',
  replay: 'share.replay',
  test: 'share.test',
  rotate: 'share.rotate',
} as const;

const dayMinutes = 24 * 60;
const days = [1, 7, 30, 90];

/** Creates links to the portal of an endpoint, and ends them. */
export function ShareDialog({ endpoint, onClose }: Props) {
  const { t } = useTexts();
  const [link, setLink] = useState('');
  if (link !== '')
    return (
      <ShownOnce title={t('share.link')} secret={link} onClose={() => setLink('')}>
        <Text size="sm">{t('share.linkAbout')}</Text>
      </ShownOnce>
    );
  return (
    <Dialog onClose={onClose} title={t('share.title')} size="lg">
      <Stack gap="lg">
        <CreateForm endpoint={endpoint} onLink={setLink} />
        <Links endpoint={endpoint} />
      </Stack>
    </Dialog>
  );
}

function CreateForm({
  endpoint,
  onLink,
}: Pick<Props, 'endpoint'> & { onLink: (link: string) => void }) {
  const { t, locale } = useTexts();
  const { Tenant, ID } = endpoint;
  return (
    <CallForm
      operation="WebhookPortals_Create"
      initial={{ name: '', days: '7', abilities: ['bodies', 'replay', 'test'] }}
      check={({ name }) => ({ name: name.trim() === '' ? t('share.nameMissing') : null })}
      toRequest={(fields) => ({
        Tenant,
        Endpoint: ID,
        Name: fields.name.trim(),
        ExpiresInMinutes: Number(fields.days) * dayMinutes,
        Abilities: fields.abilities,
      })}
      stale={['WebhookPortals_List']}
      onDone={({ Link }) => onLink(Link)}
      submit={t('share.create')}
    >
      {(form) => (
        <>
          <Text size="sm">{t('share.about')}</Text>
          <TextInput
            {...form.getInputProps('name')}
            label={t('share.name')}
            description={t('share.nameAbout')}
          />
          <Checkbox.Group {...form.getInputProps('abilities')} label={t('share.abilities')}>
            <Stack gap="xs" mt="xs">
              {Object.entries(abilities).map(([value, key]) => (
                <Checkbox key={value} value={value} label={t(key)} />
              ))}
            </Stack>
          </Checkbox.Group>
          <NativeSelect
            {...form.getInputProps('days')}
            label={t('share.life')}
            data={days.map((count) => ({
              value: String(count),
              label: amountOf(count, 'day', locale),
            }))}
          />
        </>
      )}
    </CallForm>
  );
}

function Links({ endpoint: { Tenant, ID } }: Pick<Props, 'endpoint'>) {
  const { t } = useTexts();
  const list = useCall('WebhookPortals_List', { Tenant, Endpoint: ID });
  const items = pageOf<'WebhookPortals_List'>(list.data)?.items ?? [];
  return (
    <Stack gap="xs" component="section" aria-labelledby="portal-links">
      <Title order={3} size="h5" id="portal-links">
        {t('share.links')}
      </Title>
      <FailureNotice error={list.error} onRetry={() => void list.refetch()} />
      {list.data && items.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('share.none')}
        </Text>
      )}
      {items.map((portal) => (
        <LinkRow key={portal.ID} portal={portal} />
      ))}
    </Stack>
  );
}

function LinkRow({ portal }: { portal: ItemOf<'WebhookPortals_List'> }) {
  const { t } = useTexts();
  const { ID, Tenant, Name, LastOpenedAt, ExpiresAt } = portal;
  const change = useChange('WebhookPortals_Delete', { stale: ['WebhookPortals_List'] });
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" wrap="nowrap">
        <div style={{ minWidth: 0 }}>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {Name}
          </Text>
          <Text size="xs" c="dimmed">
            {t('share.ends')} <Time at={ExpiresAt} /> · {t('share.opened')}{' '}
            {LastOpenedAt === undefined ? t('share.never') : <Time at={LastOpenedAt} />}
          </Text>
        </div>
        <Button
          variant="default"
          size="compact-sm"
          flex="none"
          aria-label={t('share.endOf', { name: Name })}
          loading={change.isPending}
          onClick={() => change.mutate({ Tenant, ID })}
        >
          {t('share.end')}
        </Button>
      </Group>
      <FailureNotice error={change.error} />
    </Paper>
  );
}
