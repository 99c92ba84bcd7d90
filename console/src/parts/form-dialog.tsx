import type { OperationName, ResponseOf } from '@bailiwick/client/client.ts';
import { CallForm, type CallFormProps, type Values } from './call-form.tsx';
import { Dialog } from './dialog.tsx';
import { useNotify } from './notify.ts';

type Props<Name extends OperationName, Fields extends Values> = Omit<
  CallFormProps<Name, Fields>,
  'onDone' | 'onCancel'
> & {
  title: string;
  size?: 'lg';
  /** The message after the call. */
  notice?: string | ((response: ResponseOf<Name>, fields: Fields) => string);
  /** Follows the call. Default: the dialog closes. */
  onDone?: (response: ResponseOf<Name>, fields: Fields) => void;
  onClose: () => void;
};

/** A dialog with the form of one call. */
export function FormDialog<Name extends OperationName, Fields extends Values>(
  props: Props<Name, Fields>,
) {
  const { title, size = 'md', notice, onClose, onDone = onClose, ...form } = props;
  const notify = useNotify();
  const finish = (response: ResponseOf<Name>, fields: Fields) => {
    onDone(response, fields);
    if (notice !== undefined)
      notify(typeof notice === 'string' ? notice : notice(response, fields));
  };
  return (
    <Dialog title={title} size={size} onClose={onClose}>
      <CallForm {...form} onDone={finish} onCancel={onClose} />
    </Dialog>
  );
}
