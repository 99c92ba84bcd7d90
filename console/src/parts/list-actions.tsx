import { type ReactNode, useState } from 'react';
import { RowAction } from './row-action.tsx';

/** A button in each row, and the dialog that it opens. */
export type ListAction<Item> = {
  text: string;
  /** The name of the button, with the row that it is about. */
  label: (item: Item) => string;
  /** Whether the action takes something away. */
  isRed?: boolean;
  /** Whether the user may do it. Default: yes. */
  may?: boolean;
  /** Whether a row has the button. Default: each row has it. */
  isOffered?: (item: Item) => boolean;
  dialog: (item: Item, onClose: () => void) => ReactNode;
};

/** The buttons of the actions that the user may do, and the open dialog. */
export function useListActions<Item>(actions: ReadonlyArray<ListAction<Item>>) {
  const [open, setOpen] = useState<{ text: string; row: Item }>();
  const allowed = actions.filter(({ may = true }) => may);
  const action = allowed.find(({ text }) => text === open?.text);
  return {
    hasActions: allowed.length > 0,
    buttonsOf: (row: Item): ReactNode =>
      allowed
        .filter(({ isOffered }) => isOffered?.(row) ?? true)
        .map(({ text, label, isRed = false }) => (
          <RowAction
            key={text}
            isRed={isRed}
            aria-label={label(row)}
            onClick={() => setOpen({ text, row })}
          >
            {text}
          </RowAction>
        )),
    /** Is beside the rows, because the action can remove its row. */
    dialog: open && action?.dialog(open.row, () => setOpen(undefined)),
  };
}
