import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { TestAnswer } from '../deliveries/test-answer.tsx';
import { useChange } from '../parts/calls.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { type Area, useArea } from './area.tsx';

type Endpoint = ResponseOf<`${Area}_GetEndpoint`>['Endpoint'];

/** Sends a test event, and shows the receiver's answer. */
export function TestDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { t } = useTexts();
  const { area } = useArea();
  const { Tenant, ID, Name } = endpoint;
  const change = useChange(`${area}_SendTest`, { stale: [`${area}_ListAttempts`] });
  const request = { Tenant, ID };
  return (
    <Dialog onClose={onClose} title={t('webhooks.test')}>
      <Stack>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('webhooks.testAbout', { url: 'URL' in endpoint ? endpoint.URL : Name })}
        </Text>
        {change.data && <TestAnswer {...change.data.Task} />}
        <FailureNotice error={change.error} />
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {t('form.close')}
          </Button>
          <Button loading={change.isPending} onClick={() => change.mutate(request)} data-autofocus>
            {t(change.data ? 'webhooks.testAgain' : 'webhooks.testSend')}
          </Button>
        </Group>
        <SameByApi operation={`${area}_SendTest`} request={request} />
      </Stack>
    </Dialog>
  );
}
