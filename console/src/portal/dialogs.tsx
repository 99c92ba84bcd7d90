import { Alert, Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';

type Props = { onClose: () => void };

type DialogProps = Props & {
  title: string;
  action: string;
  isBusy: boolean;
  error: unknown;
  onAct: () => void;
  children: ReactNode;
};

function Dialog({ title, action, isBusy, error, onAct, onClose, children }: DialogProps) {
  const { t } = useTexts();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': t('form.close') }}
    >
      <Stack>
        {children}
        <FailureNotice error={error} />
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {t('form.close')}
          </Button>
          <Button loading={isBusy} onClick={onAct} data-autofocus>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Sends a test event, and shows what the receiver answered. */
export function TestDialog({ onClose }: Props) {
  const { t } = useTexts();
  const change = useChange('Portal_SendTest', { stale: ['Portal_ListAttempts', 'Portal_Get'] });
  const task = change.data?.Task;
  const isGood = task?.Status === 'delivered';
  return (
    <Dialog
      title={t('webhooks.test')}
      action={t(task ? 'webhooks.testAgain' : 'webhooks.testSend')}
      isBusy={change.isPending}
      error={change.error}
      onAct={() => change.mutate({})}
      onClose={onClose}
    >
      <Text size="sm">{t('portal.testAbout')}</Text>
      {task && (
        <Alert
          role="status"
          color={isGood ? 'teal' : 'red'}
          icon={<Icon name={isGood ? 'check' : 'warning'} />}
          title={t(isGood ? 'webhooks.testGood' : 'webhooks.testBad')}
        >
          {!isGood && (
            <Text size="sm" lang="en">
              {task.Message}
            </Text>
          )}
        </Alert>
      )}
    </Dialog>
  );
}

/** Sends all failed messages again. */
export function ReplayDialog({ onClose }: Props) {
  const { t } = useTexts();
  const notify = useNotify();
  const change = useChange('Portal_ReplayFailed', { stale: ['Portal_ListAttempts', 'Portal_Get'] });
  const onSuccess = ({ Queued }: { Queued: number }) => {
    onClose();
    notify(t('webhooks.replayed', { count: String(Queued) }));
  };
  return (
    <Dialog
      title={t('webhooks.replay')}
      action={t('webhooks.replayNow')}
      isBusy={change.isPending}
      error={change.error}
      onAct={() => change.mutate({}, { onSuccess })}
      onClose={onClose}
    >
      <Text size="sm">{t('portal.replayAbout')}</Text>
    </Dialog>
  );
}

const graces = {
  '86400': 'webhooks.graceDay',
  '604800': 'webhooks.graceWeek',
  '0': 'webhooks.graceNone',
} as const;

/** Replaces the secret. The old one signs too for some time, so that no delivery is refused. */
export function RotateDialog({
  onClose,
  onSecret,
}: Props & { onSecret: (secret: string) => void }) {
  const { t } = useTexts();
  const [grace, setGrace] = useState('86400');
  const change = useChange('Portal_RotateSecret', { stale: ['Portal_Get'] });
  const onSuccess = ({ Secret }: { Secret: string }) => {
    onClose();
    onSecret(Secret);
  };
  return (
    <Dialog
      title={t('webhooks.rotate')}
      action={t('webhooks.rotate')}
      isBusy={change.isPending}
      error={change.error}
      onAct={() => change.mutate({ GraceSeconds: Number(grace) }, { onSuccess })}
      onClose={onClose}
    >
      <Text size="sm">{t('portal.rotateAbout')}</Text>
      <NativeSelect
        label={t('webhooks.grace')}
        value={grace}
        onChange={(event) => setGrace(event.currentTarget.value)}
        data={Object.entries(graces).map(([value, key]) => ({ value, label: t(key) }))}
      />
    </Dialog>
  );
}
