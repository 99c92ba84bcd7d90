import type { OperationName } from '@bailiwick/client/client.ts';
import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { runAll } from './bulk-run.ts';
import { invalidate } from './calls.ts';
import { describeFailure } from './failure.ts';
import { useNotify } from './notify.ts';
import { unmetRequirementOf, withProof } from './proof.ts';
import { useTexts } from './texts.tsx';

/** The calls that restore everything that a change has changed, one for each record. */
export type Undo = {
  calls: ReadonlyArray<() => Promise<unknown>>;
  /** The operations whose answers are out of date afterwards. */
  stale: readonly OperationName[];
};

/** Long enough to read the message and to reach the button with the keyboard. */
const offerMs = 15_000;

/** Says that something was done, and offers to undo it if there are calls for that. */
export function useNotifyWithUndo() {
  const { t } = useTexts();
  const notify = useNotify();
  const queries = useQueryClient();
  async function restore({ calls, stale }: Undo) {
    const { successes, failures, skipped } = await runAll(calls, {
      call: withProof,
      isFinal: (error) => unmetRequirementOf(error) !== undefined,
    });
    const [failure] = failures;
    if (failure) {
      const reason = t(describeFailure(failure.error).title);
      const count = { done: String(successes.length), total: String(calls.length) };
      const rest = [...failures.map(({ item }) => item), ...skipped];
      const text = calls.length === 1 ? reason : t('undo.some', { ...count, reason });
      offer(text, { calls: rest, stale }, true);
    } else notify(t('undo.done'));
    await invalidate(queries, stale);
  }
  function offer(text: string, undo: Undo, isRetry = false) {
    const id = notifications.show({
      message: (
        <Offer
          text={text}
          button={t(isRetry ? 'failure.retry' : 'undo.undo')}
          onUndo={() => {
            notifications.hide(id);
            void restore(undo);
          }}
          onEnd={() => notifications.hide(id)}
        />
      ),
      color: isRetry ? 'red' : 'teal',
      autoClose: false,
      closeButtonProps: { 'aria-label': t('form.close') },
    });
  }
  return (text: string, undo: Undo) => (undo.calls.length > 0 ? offer(text, undo) : notify(text));
}

type OfferProps = { text: string; button: string; onUndo: () => void; onEnd: () => void };

/** A message with a button. It stays for as long as the focus or the pointer is in it. */
function Offer({ text, button, onUndo, onEnd }: OfferProps) {
  const own = useRef<HTMLDivElement>(null);
  const end = useRef(onEnd);
  useEffect(() => {
    const message = own.current?.closest('[role=alert]');
    if (!message) return;
    let timer: ReturnType<typeof setTimeout>;
    const begin = () => {
      clearTimeout(timer);
      timer = setTimeout(
        () => (message.matches(':hover, :focus-within') ? begin() : end.current()),
        offerMs,
      );
    };
    const leavings = ['focusout', 'mouseleave'];
    for (const name of leavings) message.addEventListener(name, begin);
    begin();
    return () => {
      clearTimeout(timer);
      for (const name of leavings) message.removeEventListener(name, begin);
    };
  }, []);
  return (
    <Group ref={own} justify="space-between" wrap="nowrap" gap="sm">
      {text}
      <Button size="compact-sm" variant="default" flex="none" onClick={onUndo}>
        {button}
      </Button>
    </Group>
  );
}
