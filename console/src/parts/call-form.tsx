import type { OperationName, RequestOf, ResponseOf } from '@bailiwick/client/client.ts';
import type { BailiwickError } from '@bailiwick/client/errors.ts';
import { Button, Group, Stack } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type ReactNode, useRef } from 'react';
import { useChange } from './calls.ts';
import { FailureNotice } from './failure-notice.tsx';
import { focusFirst } from './field-errors.ts';
import { SameByApi } from './same-by-api.tsx';
import { useTexts } from './texts.tsx';

export type Values = Record<string, unknown>;

export type CallFormProps<Name extends OperationName, Fields extends Values> = {
  operation: Name;
  initial: Fields;
  /** The message for each wrong field. */
  check?: (fields: Fields) => Partial<Record<keyof Fields & string, string | null>>;
  /** Asks the service before the call. A message for a field stops it. */
  precheck?: (fields: Fields) => Promise<Partial<Record<keyof Fields & string, string>>>;
  toRequest: (fields: Fields) => RequestOf<Name>;
  /** The message for the field that a refusal is about. All others are shown below the fields. */
  refused?: (error: BailiwickError) => Partial<Record<keyof Fields & string, string>>;
  /** Fields that "the same by API" does not show as they were typed. */
  secret?: Partial<Fields>;
  /** The operations whose answers are out of date afterwards. */
  stale: readonly OperationName[];
  onDone: (response: ResponseOf<Name>, fields: Fields) => void;
  onCancel?: () => void;
  submit: string;
  /** Whether the call destroys something. */
  isRed?: boolean;
  children: (form: UseFormReturnType<Fields>) => ReactNode;
};

/** A form whose button makes one call. The input stays until the call has succeeded. */
export function CallForm<Name extends OperationName, Fields extends Values>(
  props: CallFormProps<Name, Fields>,
) {
  const { operation, initial, check, precheck, toRequest, stale, onDone, ...rest } = props;
  const { refused, secret, onCancel, submit, isRed = false, children } = rest;
  const element = useRef<HTMLFormElement>(null);
  const change = useChange(operation, { stale });
  const form = useForm<Fields>({
    initialValues: initial,
    ...(check && { validate: (fields: Fields) => check(fields) }),
  });
  const showErrors = (errors: Readonly<Record<string, unknown>>) => {
    form.setErrors({ ...errors } as typeof form.errors);
    focusFirst(element.current, errors);
  };
  const send = async (fields: Fields) => {
    const wrong = (await precheck?.(fields)) ?? {};
    if (Object.keys(wrong).length > 0) showErrors(wrong);
    else
      change.mutate(toRequest(fields), {
        onSuccess: (response) => onDone(response, fields),
        onError: (error) => refused && showErrors(refused(error)),
      });
  };
  const isAboutField = change.error && Object.keys(refused?.(change.error) ?? {}).length > 0;
  return (
    <form
      ref={element}
      onSubmit={form.onSubmit(
        (fields) => void send(fields),
        (errors) => focusFirst(element.current, errors),
      )}
      noValidate
    >
      <Stack>
        {children(form)}
        <FailureNotice error={isAboutField ? null : change.error} />
        <FormButtons submit={submit} onCancel={onCancel} isBusy={change.isPending} isRed={isRed} />
        <SameByApi operation={operation} request={toRequest({ ...form.values, ...secret })} />
      </Stack>
    </form>
  );
}

type ButtonsProps = {
  submit: string;
  onCancel: (() => void) | undefined;
  isBusy: boolean;
  /** Whether something else has to be decided first. */
  isHeld?: boolean;
  isRed?: boolean;
};

export function FormButtons(props: ButtonsProps) {
  const { submit, onCancel, isBusy, isHeld = false, isRed = false } = props;
  const { t } = useTexts();
  return (
    <Group justify={onCancel ? 'end' : 'start'}>
      {onCancel && (
        <Button variant="default" onClick={onCancel}>
          {t('form.cancel')}
        </Button>
      )}
      <Button type="submit" {...(isRed && { color: 'red.8' })} loading={isBusy} disabled={isHeld}>
        {submit}
      </Button>
    </Group>
  );
}
