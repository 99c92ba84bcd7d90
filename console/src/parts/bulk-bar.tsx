import { Button, Group, Paper, Text, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTexts } from './texts.tsx';

/** A change of several rows, and the dialog that makes it. */
export type BulkAction<Item> = {
  text: string;
  /** Whether the user may do it. Default: yes. */
  may?: boolean;
  /** Whether a row can be changed so. Default: each row can. */
  isOffered?: (item: Item) => boolean;
  /** `onClose` gets the items that were changed. */
  dialog: (items: readonly Item[], onClose: (changes: readonly Item[]) => void) => ReactNode;
};

type Props<Item> = {
  actions: ReadonlyArray<BulkAction<Item>>;
  items: readonly Item[];
  onSelectPage: () => void;
  onClear: () => void;
  /** Follows a change. */
  onDone: (items: readonly Item[]) => void;
};

/** The number of selected rows, and what can be done with them. It stays in sight. */
export function BulkBar<Item>({ actions, items, onSelectPage, onClear, onDone }: Props<Item>) {
  const { t } = useTexts();
  // The items of the open dialog, as they were selected when it was opened.
  const [open, setOpen] = useState<{ text: string; items: readonly Item[] }>();
  const action = actions.find(({ text }) => text === open?.text);
  const close = (changes: readonly Item[]) => {
    setOpen(undefined);
    onDone(changes);
  };
  const offered = actions.flatMap(({ text, isOffered = () => true }) => {
    const own = items.filter(isOffered);
    return own.length > 0 ? [{ text, own }] : [];
  });
  const count = t('bulk.selected', { count: String(items.length) });
  return (
    <>
      {actions.length > 0 && (
        // Is there before it has a text: screen readers say only what changes.
        <VisuallyHidden role="status">{items.length > 0 && count}</VisuallyHidden>
      )}
      {items.length > 0 && (
        <Paper
          withBorder
          className="console-bulk"
          component="section"
          aria-label={t('bulk.selection')}
        >
          <Group gap="xs">
            <Text size="sm" fw={600} mr="auto">
              {count}
            </Text>
            {offered.map(({ text, own }) => (
              <Button
                key={text}
                size="compact-md"
                variant="default"
                onClick={() => setOpen({ text, items: own })}
              >
                {own.length === items.length
                  ? text
                  : t('bulk.some', { action: text, count: String(own.length) })}
              </Button>
            ))}
            <Button size="compact-md" variant="subtle" hiddenFrom="sm" onClick={onSelectPage}>
              {t('list.selectAll')}
            </Button>
            <Button size="compact-md" variant="subtle" onClick={onClear}>
              {t('bulk.clear')}
            </Button>
          </Group>
        </Paper>
      )}
      {open && action?.dialog(open.items, close)}
    </>
  );
}
