import type { OperationName } from '@bailiwick/client/client.ts';
import { Alert, Button, Group, List, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { type BulkFailure, runAll } from './bulk-run.ts';
import { invalidate } from './calls.ts';
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

/** Browsers open about six connections to a server, and the view needs some of them. */
const atOnce = 4;
const mostNames = 8;

/** Changes several records with a call each, and says which of them were refused and why. */
export function BulkDialog<Item>(props: Props<Item>) {
  const { title, items, children } = props;
  const run = useBulk(props);
  return (
    <Dialog title={title} onClose={run.close} closeOnClickOutside={false}>
      {run.failures.length > 0 ? (
        <Failures {...props} run={run} />
      ) : (
        <Question {...props} run={run}>
          <Text size="sm" component="div">
            {children}
          </Text>
          <Names names={items.map(props.nameOf)} />
        </Question>
      )}
    </Dialog>
  );
}

/** The state of the calls, and the ways to begin and to stop them. */
function useBulk<Item>({ call, undo, stale, notice, onClose }: Props<Item>) {
  const notifyWithUndo = useNotifyWithUndo();
  const queries = useQueryClient();
  const [settled, setSettled] = useState<number>();
  const [failures, setFailures] = useState<ReadonlyArray<BulkFailure<Item>>>([]);
  const [skipped, setSkipped] = useState<readonly Item[]>([]);
  const [total, setTotal] = useState(0);
  const [changes, setChanges] = useState<readonly Item[]>([]);
  const isStopped = useRef(false);
  function announce(changed: readonly Item[]) {
    if (changed.length === 0) return;
    const calls = undo ? changed.map((item) => () => undo(item)) : [];
    notifyWithUndo(notice(String(changed.length)), { calls, stale });
  }
  async function start(some: readonly Item[]) {
    isStopped.current = false;
    setSettled(0);
    setTotal(some.length);
    setFailures([]);
    const result = await runAll(some, {
      call: (item) => withProof(() => call(item)),
      atOnce,
      isFinal: (error) => unmetRequirementOf(error) !== undefined,
      isStopped: () => isStopped.current,
      onProgress: setSettled,
    });
    await invalidate(queries, stale);
    setSettled(undefined);
    setChanges([...changes, ...result.successes]);
    announce(result.successes);
    setSkipped(result.skipped);
    if (result.failures.length > 0) setFailures(result.failures);
    else onClose([...changes, ...result.successes]);
  }
  return {
    settled,
    failures,
    /** The items that were not changed. */
    rest: [...failures.map(({ item }) => item), ...skipped],
    skipped,
    total,
    start: (some: readonly Item[]) => void start(some),
    /** Stops before the next call, or closes the dialog. */
    close() {
      if (settled === undefined) onClose(changes);
      else isStopped.current = true;
    },
  };
}

type Run<Item> = ReturnType<typeof useBulk<Item>>;

/** Asks before the calls, and shows how far they are. */
function Question<Item>(props: Props<Item> & { run: Run<Item> }) {
  const { action, isHarmless = false, phrase, isReady = true, items, run, children } = props;
  const { t } = useTexts();
  const [typed, setTyped] = useState('');
  const may = isReady && (phrase === undefined || typed.trim() === phrase);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (may) run.start(items);
      }}
    >
      <Stack>
        {children}
        {phrase !== undefined && (
          <TextInput
            label={t('confirm.type', { phrase })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        <Running run={run} />
        <Group justify="end">
          <Button variant="default" onClick={run.close}>
            {t(run.settled === undefined ? 'form.cancel' : 'bulk.stop')}
          </Button>
          <Button
            type="submit"
            {...(!isHarmless && { color: 'red.8' })}
            disabled={!may}
            loading={run.settled !== undefined}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Running<Item>({ run: { settled, total } }: { run: Run<Item> }) {
  const { t } = useTexts();
  if (settled === undefined) return undefined;
  const text = t('bulk.progress', { done: String(settled), total: String(total) });
  return (
    <div>
      <Text size="sm" role="status">
        {text}
      </Text>
      <Progress value={(settled / total) * 100} aria-label={text} mt={4} />
    </div>
  );
}

/** The records that were not changed, each with its reason, and the way to try them again. */
function Failures<Item>({ nameOf, run }: Props<Item> & { run: Run<Item> }) {
  const { t } = useTexts();
  const { failures, rest, skipped } = run;
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
