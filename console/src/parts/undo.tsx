import type { OperationName } from '@bailiwick/client/client.ts';
import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { describeFailure } from './failure.ts';
import { useNotify } from './notify.ts';
import { withProof } from './proof.ts';
import { useTexts } from './texts.tsx';

/** The call that restores everything that a change has changed. */
export type Undo = {
  call: () => Promise<unknown>;
  /** The operations whose answers are out of date afterwards. */
  stale: readonly OperationName[];
};

/** Long enough to read the message and to reach the button with the keyboard. */
const offerMs = 15_000;

/** Says that something was done, and offers to undo it. */
export function useNotifyWithUndo() {
  const { t } = useTexts();
  const notify = useNotify();
  const queries = useQueryClient();
  async function restore({ call, stale }: Undo) {
    try {
      await withProof(call);
      notify(t('undo.done'));
    } catch (error) {
      notify(t(describeFailure(error).title), { isFailure: true });
    }
    await Promise.all(stale.map((name) => queries.invalidateQueries({ queryKey: [name] })));
  }
  return (message: string, undo: Undo) => {
    const id = notifications.show({
      message: (
        <Group justify="space-between" wrap="nowrap" gap="sm">
          {message}
          <Button
            size="compact-sm"
            variant="default"
            flex="none"
            onClick={() => {
              notifications.hide(id);
              void restore(undo);
            }}
          >
            {t('undo.undo')}
          </Button>
        </Group>
      ),
      color: 'teal',
      autoClose: offerMs,
      closeButtonProps: { 'aria-label': t('form.close') },
    });
  };
}
