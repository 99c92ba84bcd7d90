import { type ReactNode, useState } from 'react';
import { RowMenu } from './row-menu.tsx';

/** An item in the menu of each row, and the dialog that it opens. */
export type ListAction<Item> = {
  text: string;
  /** The name of the item, with the row that it is about. */
  label: (item: Item) => string;
  /** Whether the user may do it. Default: yes. */
  may?: boolean;
  /** Whether a row has the item. Default: each row has it. */
  isOffered?: (item: Item) => boolean;
  dialog: (item: Item, onClose: () => void) => ReactNode;
};

/** The menus of the actions that the user may do, and the open dialog. */
export function useListActions<Item>(actions: ReadonlyArray<ListAction<Item>>) {
  const [open, setOpen] = useState<{ text: string; row: Item }>();
  const allowed = actions.filter(({ may = true }) => may);
  const action = allowed.find(({ text }) => text === open?.text);
  return {
    hasActions: allowed.length > 0,
    /** The menu of a row, whose name is in the element `nameId`. */
    menuOf(row: Item, nameId: string): ReactNode {
      const items = allowed
        .filter(({ isOffered }) => isOffered?.(row) ?? true)
        .map(({ text, label }) => ({
          text,
          label: label(row),
          onSelect: () => setOpen({ text, row }),
        }));
      return items.length > 0 && <RowMenu nameId={nameId} items={items} />;
    },
    /** Is beside the rows, because the action can remove its row. */
    dialog: open && action?.dialog(open.row, () => setOpen(undefined)),
  };
}
