import type { OperationName, RequestOf, ResponseOf } from '@bailiwick/client/client.ts';
import { FailedPreconditionError } from '@bailiwick/client/errors.ts';
import { Alert, Button, Fieldset, Group, Stack, Text } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { FormButtons, type Values } from './call-form.tsx';
import { useChange } from './calls.ts';
import { FailureNotice } from './failure-notice.tsx';
import { Icon } from './icon.tsx';
import { merge } from './merge.ts';
import { SameByApi } from './same-by-api.tsx';
import { useTexts } from './texts.tsx';

/** The part of a request that lets the call fail if the record has changed since. */
export const ifUnchanged = ({ UpdatedAt }: { UpdatedAt?: string }): { IfUpdatedAt?: string } =>
  UpdatedAt === undefined ? {} : { IfUpdatedAt: UpdatedAt };

type Props<Name extends OperationName, Item extends { UpdatedAt?: string }, Fields> = {
  operation: Name;
  /** The record when the form was opened. */
  record: Item;
  fieldsOf: (record: Item) => Fields;
  /** The message for each wrong field. */
  check?: (fields: Fields) => Partial<Record<keyof Fields & string, string | null>>;
  /** The call, with `ifUnchanged` of the record that the fields began with. */
  toRequest: (fields: Fields, base: Item) => RequestOf<Name>;
  /** Reads the record as it is stored now. */
  read: () => Promise<Item>;
  recordIn: (response: ResponseOf<Name>) => Item;
  labels: Readonly<Record<keyof Fields & string, string>>;
  /** The operations whose answers are out of date afterwards. */
  stale: readonly OperationName[];
  onDone: (response: ResponseOf<Name>) => void;
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
  const { operation, toRequest, onCancel, submit, isReadOnly = false, labels, children } = props;
  const { form, change, base, theirs, send, decide } = useEdit(props);
  return (
    <form onSubmit={form.onSubmit((fields) => send(fields, base))} noValidate>
      <Stack>
        <Fieldset variant="unstyled" disabled={isReadOnly}>
          <Stack>{children(form)}</Stack>
        </Fieldset>
        {theirs ? (
          <Conflict {...theirs} labels={labels} onChoice={decide} />
        ) : (
          <FailureNotice error={change.error} />
        )}
        {!isReadOnly && (
          <FormButtons
            submit={submit}
            onCancel={onCancel}
            isBusy={change.isPending}
            isHeld={theirs !== undefined}
          />
        )}
        <SameByApi operation={operation} request={toRequest(form.values, base)} />
      </Stack>
    </form>
  );
}

function useEdit<
  Name extends OperationName,
  Item extends { UpdatedAt?: string },
  Fields extends Values,
>(props: Props<Name, Item, Fields>) {
  const { operation, record, fieldsOf, check, toRequest, read, recordIn, stale, onDone } = props;
  const [base, setBase] = useState(record);
  const [theirs, setTheirs] = useState<{ stored: Item; fields: Fields; names: string[] }>();
  const change = useChange(operation, { stale });
  const form = useForm<Fields>({
    initialValues: fieldsOf(record),
    ...(check && { validate: (fields: Fields) => check(fields) }),
  });
  const goOn = (stored: Item, fields: Fields) => {
    setBase(stored);
    setTheirs(undefined);
    form.setValues(fields);
    change.reset();
  };
  const send = (fields: Fields, from: Item) =>
    change.mutate(toRequest(fields, from), {
      onSuccess: (response) => {
        setBase(recordIn(response));
        onDone(response);
      },
      onError: (error) => {
        if (error instanceof FailedPreconditionError) void compare(fields, from);
      },
    });
  const compare = async (mine: Fields, from: Item) => {
    const stored = await readIfPossible(read);
    if (!stored || stored.UpdatedAt === from.UpdatedAt) return;
    const { fields, conflicts } = merge(fieldsOf(from), mine, fieldsOf(stored));
    if (conflicts.length > 0)
      return setTheirs({ stored, fields: fieldsOf(stored), names: [...conflicts] });
    goOn(stored, fields);
    send(fields, stored);
  };
  const decide = (takesTheirs: boolean) => {
    if (!theirs) return;
    const { stored, fields } = theirs;
    const merged = merge(fieldsOf(base), form.values, fields).fields;
    goOn(stored, takesTheirs ? fields : merged);
  };
  return { form, change, base, theirs, send, decide };
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
