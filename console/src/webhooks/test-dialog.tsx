import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useChange } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
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
    <Modal
      opened
      onClose={onClose}
      title={t('webhooks.test')}
      closeButtonProps={{ 'aria-label': t('form.close') }}
    >
      <Stack>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('webhooks.testAbout', { url: 'URL' in endpoint ? endpoint.URL : Name })}
        </Text>
        {change.data && <Answer {...change.data.Task} />}
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
    </Modal>
  );
}

function Answer({ Status, Message }: ResponseOf<`${Area}_SendTest`>['Task']) {
  const { t } = useTexts();
  const isGood = Status === 'delivered';
  return (
    <Alert
      role="status"
      color={isGood ? 'teal' : 'red'}
      icon={<Icon name={isGood ? 'check' : 'warning'} />}
      title={t(isGood ? 'webhooks.testGood' : 'webhooks.testBad')}
    >
      {!isGood && (
        <Text size="sm" lang="en" style={{ overflowWrap: 'anywhere' }}>
          {Message}
        </Text>
      )}
    </Alert>
  );
}
