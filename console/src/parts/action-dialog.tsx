import type { OperationName, RequestOf, ResponseOf } from '@bailiwick/client/client.ts';
import type { ReactNode } from 'react';
import { useChange } from './calls.ts';
import { Confirm } from './confirm.tsx';
import { SameByApi } from './same-by-api.tsx';
import { useNotifyWithUndo } from './undo.tsx';

type Props<Name extends OperationName> = {
  operation: Name;
  request: RequestOf<Name>;
  /** The operations whose answers are out of date afterwards. */
  stale?: readonly OperationName[];
  title: string;
  /** The name of the button that makes the call. */
  action: string;
  /** The words to type first, if the call destroys something. */
  phrase?: string;
  /** Whether the call takes nothing away. */
  isHarmless?: boolean;
  /** The effect of the call. */
  children: ReactNode;
  /** The message after the call. */
  notice?: string | ((response: ResponseOf<Name>) => string);
  /** The call that restores everything. The message after the call offers it. */
  undo?: ((response: ResponseOf<Name>) => Promise<unknown>) | undefined;
  /** Follows the call. Default: the dialog closes. */
  onDone?: (response: ResponseOf<Name>) => void;
  onClose: () => void;
};

/** Asks for a confirmation and makes one call. It stays open, with the reason, if the call fails. */
export function ActionDialog<Name extends OperationName>(props: Props<Name>) {
  const {
    operation,
    request,
    stale = [],
    notice,
    undo,
    onClose,
    onDone = onClose,
    ...rest
  } = props;
  const notifyWithUndo = useNotifyWithUndo();
  const change = useChange(operation, { stale });
  const onSuccess = (response: ResponseOf<Name>) => {
    onDone(response);
    if (notice === undefined) return;
    const message = typeof notice === 'string' ? notice : notice(response);
    notifyWithUndo(message, { calls: undo ? [() => undo(response)] : [], stale });
  };
  return (
    <>
      <Confirm
        {...rest}
        isBusy={change.isPending}
        error={change.error}
        onConfirm={() => change.mutate(request, { onSuccess })}
        onClose={onClose}
      />
      <SameByApi operation={operation} request={request} />
    </>
  );
}
