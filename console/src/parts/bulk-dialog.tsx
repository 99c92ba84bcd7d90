import type { OperationName } from '@bailiwick/client/client.ts';
import { Alert, Button, Group, List, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { type BulkResult, runAll } from './bulk-run.ts';
import { invalidate } from './calls.ts';
import { ConfirmForm } from './confirm.tsx';
import { Dialog } from './dialog.tsx';
import { describeFailure } from './failure.ts';
import { unmetRequirementOf, withProof } from './proof.ts';
import { useTexts } from './texts.tsx';
import { useNotifyWithUndo } from './undo.tsx';

type Props<Item> = {
  title: string;
  /** The name of the button that makes the calls. */
  action: string;
  /** Whether the calls take nothing away. */
  isHarmless?: boolean;
  /** The words to type first, if the calls destroy something. */
  phrase?: string;
  /** Whether the fields of the dialog are complete. Default: yes. */
  isReady?: boolean;
  items: readonly Item[];
  nameOf: (item: Item) => string;
  call: (item: Item) => Promise<unknown>;
  /** The call that restores everything that `call` has changed. */
  undo?: (item: Item) => Promise<unknown>;
  /** The operations whose answers are out of date afterwards. */
  stale: readonly OperationName[];
  /** The message after the calls. */
  notice: (count: string) => string;
  /** The calls' purpose, and their fields. */
  children: ReactNode;
  onClose: (items: readonly Item[]) => void;
};

const mostNames = 8;

/** Changes several records with a call each, and says which of them were refused and why. */
export function BulkDialog<Item>(props: Props<Item>) {
  const { title, items, nameOf, children } = props;
  const { t } = useTexts();
  const run = useRun(props);
  return (
    <Dialog title={title} onClose={run.close} closeOnClickOutside={false}>
      {run.failures.length > 0 ? (
        <Failures nameOf={nameOf} run={run} />
      ) : (
        <ConfirmForm
          {...props}
          isBusy={run.progress !== undefined}
          state={run.progress && <Running {...run.progress} />}
          {...(run.progress && { cancel: t('bulk.stop') })}
          onConfirm={() => run.start(items)}
          onClose={run.close}
        >
          {children}
          <Names names={items.map(nameOf)} />
        </ConfirmForm>
      )}
    </Dialog>
  );
}

/** The calls that have ended, of all in this run. */
type RunProgress = { count: number; total: number };

/** The state of the calls, and the ways to begin and to stop them. */
function useRun<Item>({ call, undo, stale, notice, onClose }: Props<Item>) {
  const notifyWithUndo = useNotifyWithUndo();
  const queries = useQueryClient();
  const [progress, setProgress] = useState<RunProgress>();
  const [result, setResult] = useState<BulkResult<Item>>();
  const [changes, setChanges] = useState<readonly Item[]>([]);
  const isStopped = useRef(false);
  const { failures = [], skipped = [] } = result ?? {};
  function announce(changed: readonly Item[]) {
    if (changed.length === 0) return;
    const calls = undo ? changed.map((item) => () => undo(item)) : [];
    notifyWithUndo(notice(String(changed.length)), { calls, stale });
  }
  async function start(some: readonly Item[]) {
    const total = some.length;
    isStopped.current = false;
    setProgress({ count: 0, total });
    setResult(undefined);
    const next = await runAll(some, {
      call: (item) => withProof(() => call(item)),
      isFinal: (error) => unmetRequirementOf(error) !== undefined,
      isStopped: () => isStopped.current,
      onProgress: (count) => setProgress({ count, total }),
    });
    await invalidate(queries, stale);
    const all = [...changes, ...next.successes];
    setProgress(undefined);
    setChanges(all);
    announce(next.successes);
    if (next.failures.length > 0) setResult(next);
    else onClose(all);
  }
  return {
    progress,
    failures,
    skipped,
    start: (some: readonly Item[]) => void start(some),
    /** Stops before the next call, or closes the dialog. */
    close() {
      if (progress === undefined) onClose(changes);
      else isStopped.current = true;
    },
  };
}

type Run<Item> = ReturnType<typeof useRun<Item>>;

function Running({ count, total }: RunProgress) {
  const { t } = useTexts();
  const text = t('bulk.progress', { done: String(count), total: String(total) });
  return (
    <div>
      <Text size="sm" role="status">
        {text}
      </Text>
      <Progress value={(count / total) * 100} aria-label={text} mt={4} />
    </div>
  );
}

/** The records that were not changed, each with its reason, and the way to try them again. */
function Failures<Item>({ nameOf, run }: Pick<Props<Item>, 'nameOf'> & { run: Run<Item> }) {
  const { t } = useTexts();
  const { failures, skipped } = run;
  const rest = [...failures.map(({ item }) => item), ...skipped];
  return (
    <Stack>
      <Alert role="alert" color="red" title={t('bulk.failed', { count: String(rest.length) })}>
        <List size="sm">
          {failures.map(({ item, error }) => {
            const { title, details } = describeFailure(error);
            return (
              <List.Item key={nameOf(item)}>
                <strong>{nameOf(item)}</strong>: {t(title)}
                {details.length > 0 && <span lang="en"> ({details.join(', ')})</span>}
              </List.Item>
            );
          })}
          {skipped.length > 0 && (
            <List.Item>{t('access.andMore', { count: String(skipped.length) })}</List.Item>
          )}
        </List>
      </Alert>
      <Group justify="end">
        <Button variant="default" onClick={run.close}>
          {t('form.close')}
        </Button>
        <Button onClick={() => run.start(rest)}>{t('failure.retry')}</Button>
      </Group>
    </Stack>
  );
}

/** The first names, and how many more there are. */
function Names({ names }: { names: readonly string[] }) {
  const { t } = useTexts();
  const more = names.length - mostNames;
  return (
    <List size="sm">
      {names.slice(0, mostNames).map((name) => (
        <List.Item key={name}>{name}</List.Item>
      ))}
      {more > 0 && <List.Item>{t('access.andMore', { count: String(more) })}</List.Item>}
    </List>
  );
}
