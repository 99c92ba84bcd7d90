import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { TestAnswer } from '../deliveries/test-answer.tsx';
import { useChange } from '../parts/calls.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
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

function TaskDialog({ title, action, isBusy, error, onAct, onClose, children }: DialogProps) {
  const { t } = useTexts();
  return (
    <Dialog onClose={onClose} title={title}>
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
    </Dialog>
  );
}

/** Sends a test event, and shows what the receiver answered. */
export function TestDialog({ onClose }: Props) {
  const { t } = useTexts();
  const change = useChange('Portal_SendTest', { stale: ['Portal_ListAttempts', 'Portal_Get'] });
  const task = change.data?.Task;
  return (
    <TaskDialog
      title={t('webhooks.test')}
      action={t(task ? 'webhooks.testAgain' : 'webhooks.testSend')}
      isBusy={change.isPending}
      error={change.error}
      onAct={() => change.mutate({})}
      onClose={onClose}
    >
      <Text size="sm">{t('portal.testAbout')}</Text>
      {task && <TestAnswer {...task} />}
    </TaskDialog>
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
    <TaskDialog
      title={t('webhooks.replay')}
      action={t('webhooks.replayNow')}
      isBusy={change.isPending}
      error={change.error}
      onAct={() => change.mutate({}, { onSuccess })}
      onClose={onClose}
    >
      <Text size="sm">{t('portal.replayAbout')}</Text>
    </TaskDialog>
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
    <TaskDialog
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
    </TaskDialog>
  );
}
