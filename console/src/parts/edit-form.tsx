import type { OperationName, RequestOf, ResponseOf } from '@bailiwick/client/client.ts';
import { type BailiwickError, FailedPreconditionError } from '@bailiwick/client/errors.ts';
import { Alert, Button, Fieldset, Group, Stack, Text } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import {
  type FocusEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { FormButtons, type Values } from './call-form.tsx';
import { useChange } from './calls.ts';
import { FailureNotice } from './failure-notice.tsx';
import { focusFirst } from './field-errors.ts';
import { Icon } from './icon.tsx';
import { isSame, merge } from './merge.ts';
import { SameByApi } from './same-by-api.tsx';
import { SaveBar } from './save-bar.tsx';
import { useTexts } from './texts.tsx';

/** The part of a request that lets the call fail if the record has changed since. */
export const ifUnchanged = ({ UpdatedAt }: { UpdatedAt?: string }): { IfUpdatedAt?: string } =>
  UpdatedAt === undefined ? {} : { IfUpdatedAt: UpdatedAt };

type Props<Name extends OperationName, Item extends { UpdatedAt?: string }, Fields> = {
  operation: Name;
  /** The record, as it was read last. */
  record: Item;
  fieldsOf: (record: Item) => Fields;
  /** The message for each wrong field. */
  check?: (fields: Fields) => Partial<Record<keyof Fields & string, string | null>>;
  /** The message for the field that a refusal is about. All others are shown at the buttons. */
  refused?: (error: BailiwickError) => Partial<Record<keyof Fields & string, string>>;
  /** The call, with `ifUnchanged` of the record that the fields began with. */
  toRequest: (fields: Fields, base: Item) => RequestOf<Name>;
  /** Fields that "the same by API" does not show as they were typed. */
  secret?: Partial<Fields>;
  /** Reads the record as it is stored now. */
  read: () => Promise<Item>;
  recordIn: (response: ResponseOf<Name>) => Item;
  labels: Readonly<Record<keyof Fields & string, string>>;
  /** The operations whose answers are out of date afterwards. */
  stale: readonly OperationName[];
  onDone: (response: ResponseOf<Name>) => void;
  /** Closes the dialog of the form. Without it the form is a view with a bar that saves it. */
  onCancel?: () => void;
  submit: string;
  /** Whether the user may see the fields only. */
  isReadOnly?: boolean;
  children: (form: UseFormReturnType<Fields>) => ReactNode;
};

/**
 * A form that changes a record, and never what somebody else has saved meanwhile: changes of other
 * fields are taken over, and where both have changed the same field, the user decides.
 */
export function EditForm<
  Name extends OperationName,
  Item extends { UpdatedAt?: string },
  Fields extends Values,
>(props: Props<Name, Item, Fields>) {
  const { operation, toRequest, onCancel, submit, isReadOnly = false, labels, ...rest } = props;
  const { secret = {}, children } = rest;
  const edit = useEdit(props);
  const { form, element, base, theirs, isBusy, isChanged, round, send, decide, discard } = edit;
  const state = theirs ? (
    <Conflict {...theirs} labels={labels} onChoice={decide} />
  ) : (
    <FailureNotice error={isBusy || edit.isAtField ? null : edit.change.error} />
  );
  const noteField = useFocusKept(element, isChanged, isBusy);
  const buttons = { submit, isBusy, isHeld: theirs !== undefined };
  const submitForm = form.onSubmit(
    (fields) => {
      if (isChanged || onCancel) send(fields, base);
    },
    (errors) => focusFirst(element.current, errors),
  );
  return (
    <form
      ref={element}
      // The question before leaving is a form of its own, whose events come here too.
      onSubmit={(event) => {
        if (event.target === event.currentTarget) submitForm(event);
      }}
      noValidate
    >
      <Stack>
        <Fieldset variant="unstyled" m={0} disabled={isReadOnly} key={round} onFocus={noteField}>
          <Stack gap={onCancel ? 'md' : 'lg'}>{children(form)}</Stack>
        </Fieldset>
        {onCancel && state}
        {onCancel && <FormButtons {...buttons} onCancel={onCancel} />}
        {!onCancel && !isReadOnly && (
          <SaveBar {...buttons} isShown={isChanged} state={state} onDiscard={discard} />
        )}
        <SameByApi
          operation={operation}
          request={toRequest(withoutSecrets(form.values, secret), base)}
        />
      </Stack>
    </form>
  );
}

/** The fields with replacements for secrets that are typed. An empty one means no change. */
const withoutSecrets = <Fields extends Values>(
  fields: Fields,
  secret: Partial<Fields>,
): Fields => ({
  ...fields,
  ...Object.fromEntries(Object.entries(secret).filter(([name]) => fields[name] !== '')),
});

/** The state of the form: its fields, and the record that they began with. */
function useFields<
  Name extends OperationName,
  Item extends { UpdatedAt?: string },
  Fields extends Values,
>({ operation, record, fieldsOf, check, stale }: Props<Name, Item, Fields>) {
  const [base, setBase] = useState(record);
  const [theirs, setTheirs] = useState<{ stored: Item; fields: Fields; names: string[] }>();
  // Whether the record is read after a refusal, to compare the two changes.
  const [isComparing, setIsComparing] = useState(false);
  // Counts the times that the fields got other values. Some fields keep a state of their own.
  const [round, setRound] = useState(0);
  const change = useChange(operation, { stale });
  const form = useForm<Fields>({
    initialValues: fieldsOf(record),
    ...(check && { validate: (fields: Fields) => check(fields) }),
  });
  /** Begins again from this record, with these fields. */
  const startFrom = (stored: Item, fields: Fields) => {
    setBase(stored);
    setTheirs(undefined);
    form.setValues(fields);
    change.reset();
  };
  const restart = (stored: Item, fields: Fields) => {
    startFrom(stored, fields);
    setRound(round + 1);
  };
  const discard = () => {
    const stored = theirs?.stored ?? base;
    restart(stored, fieldsOf(stored));
  };
  const isChanged = !isSame(form.values, fieldsOf(base));
  const isBusy = change.isPending || isComparing;
  useNewerRecord(record, base, { isOff: isChanged || isBusy, startFrom, fieldsOf });
  const state = { base, theirs, setTheirs, isChanged, isBusy, setIsComparing, round };
  return { ...state, form, change, startFrom, restart, discard };
}

function useEdit<
  Name extends OperationName,
  Item extends { UpdatedAt?: string },
  Fields extends Values,
>(props: Props<Name, Item, Fields>) {
  const { fieldsOf, refused, toRequest, read, recordIn, onDone } = props;
  const element = useRef<HTMLFormElement>(null);
  const fields = useFields(props);
  const { form, change, base, theirs, setTheirs, setIsComparing, startFrom, restart } = fields;
  const finish = (response: ResponseOf<Name>, sent: Fields) => {
    const stored = recordIn(response);
    // Fields that have changed during the call stay.
    startFrom(stored, merge(sent, form.getValues(), fieldsOf(stored)).fields);
    onDone(response);
  };
  const fail = (error: BailiwickError, from: Item) => {
    if (error instanceof FailedPreconditionError) void compare(from);
    const wrong = refused?.(error) ?? {};
    form.setErrors(wrong);
    focusFirst(element.current, wrong);
  };
  const send = (mine: Fields, from: Item) =>
    change.mutate(toRequest(mine, from), {
      onSuccess: (response) => finish(response, mine),
      onError: (error) => fail(error, from),
    });
  const compare = async (from: Item) => {
    setIsComparing(true);
    const stored = await readIfPossible(read);
    setIsComparing(false);
    // A user who has left the form meanwhile saves nothing.
    if (!stored || !element.current || stored.UpdatedAt === from.UpdatedAt) return;
    const { fields: merged, conflicts } = merge(fieldsOf(from), form.getValues(), fieldsOf(stored));
    if (conflicts.length > 0)
      return setTheirs({ stored, fields: fieldsOf(stored), names: [...conflicts] });
    startFrom(stored, merged);
    send(merged, stored);
  };
  const decide = (takesTheirs: boolean) => {
    if (!theirs) return;
    const { fields: chosen, conflicts } = merge(fieldsOf(base), form.getValues(), theirs.fields);
    if (takesTheirs) for (const name of conflicts) chosen[name] = theirs.fields[name];
    // The button that has the focus goes, and the fields are new: what is next is the field that both
    // have changed.
    flushSync(() => restart(theirs.stored, chosen));
    focusFirst(element.current, { [theirs.names[0] ?? '']: true });
  };
  const { error } = change;
  const isAtField = error !== null && hasAllAtFields(error, refused?.(error) ?? {});
  return { ...fields, element, isAtField, send, decide };
}

/** Whether each problem of a refusal is shown at a field. A field shows one of its own. */
const hasAllAtFields = ({ Problems }: BailiwickError, shown: Readonly<Record<string, unknown>>) =>
  Object.keys(shown).length >= Math.max(1, Problems.length);

/** Moves the focus from a button that has gone to the last field that had it. */
function useFocusKept(element: RefObject<HTMLElement | null>, isChanged: boolean, isBusy: boolean) {
  const path = useRef('');
  useEffect(() => {
    const hasButton = isChanged && !isBusy;
    if (hasButton || document.activeElement !== document.body || path.current === '') return;
    focusFirst(element.current, { [path.current]: true });
  }, [element, isChanged, isBusy]);
  return ({ target }: FocusEvent<HTMLElement>) => {
    path.current = target.dataset['path'] ?? path.current;
  };
}

type NewerOptions<Item, Fields> = {
  /** Whether the form has changes, which stay as they are. */
  isOff: boolean;
  startFrom: (stored: Item, fields: Fields) => void;
  fieldsOf: (record: Item) => Fields;
};

/** Shows the changes of others in a form that has none. */
function useNewerRecord<Item extends { UpdatedAt?: string }, Fields>(
  record: Item,
  base: Item,
  { isOff, startFrom, fieldsOf }: NewerOptions<Item, Fields>,
) {
  const isNewer = Date.parse(record.UpdatedAt ?? '') > Date.parse(base.UpdatedAt ?? '');
  useEffect(() => {
    if (isNewer && !isOff) startFrom(record, fieldsOf(record));
  });
}

/** The stored record. If it cannot be read either, the error of the call stays on the screen. */
async function readIfPossible<Item>(read: () => Promise<Item>): Promise<Item | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

type ConflictProps = {
  fields: Values;
  names: readonly string[];
  labels: Readonly<Record<string, string>>;
  onChoice: (takesTheirs: boolean) => void;
};

/** The values of the other change, and the choice between the two. */
function Conflict({ fields, names, labels, onChoice }: ConflictProps) {
  const { t } = useTexts();
  return (
    <Alert role="alert" color="orange" icon={<Icon name="warning" />} title={t('conflict.title')}>
      <Stack gap="sm">
        <Text size="sm">{t('conflict.about')}</Text>
        {names.map((name) => (
          <Text key={name} size="sm">
            <b>{labels[name]}</b>: <FieldValue of={fields[name]} />
          </Text>
        ))}
        <Group>
          <Button size="compact-sm" variant="default" onClick={() => onChoice(true)}>
            {t('conflict.theirs')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => onChoice(false)}>
            {t('conflict.mine')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function FieldValue({ of }: { of: unknown }) {
  const { t } = useTexts();
  if (typeof of === 'boolean') return t(of ? 'conflict.on' : 'conflict.off');
  if (Array.isArray(of)) return of.map((entry) => textOf(entry)).join(', ') || '–';
  return textOf(of) || '–';
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
