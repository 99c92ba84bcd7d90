import { Button, CloseButton, Menu, Text, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from './icon.tsx';
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

type Options<Item> = {
  actions: ReadonlyArray<BulkAction<Item>>;
  items: readonly Item[];
  onClear: () => void;
  /** Follows a change. */
  onDone: (items: readonly Item[]) => void;
};

/**
 * The changes of the selected rows: the bar that takes the place of the list's header while there are
 * any, and the open dialog, which stays if its rows are gone from the list.
 */
export function useBulk<Item>({ actions, items, onClear, onDone }: Options<Item>) {
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
    const name =
      own.length === items.length
        ? text
        : t('bulk.some', { action: text, count: String(own.length) });
    return own.length > 0 ? [{ name, act: () => setOpen({ text, items: own }) }] : [];
  });
  const count = t('bulk.selected', { count: String(items.length) });
  return {
    bar: items.length > 0 && <Bar count={count} actions={offered} onClear={onClear} />,
    dialog: (
      <>
        {actions.length > 0 && (
          // Is there before it has a text: screen readers say only what changes.
          <VisuallyHidden role="status">{items.length > 0 && count}</VisuallyHidden>
        )}
        {open && action?.dialog(open.items, close)}
      </>
    ),
  };
}

type Act = { name: string; act: () => void };
type BarProps = { count: string; actions: readonly Act[]; onClear: () => void };

/** The list below the bar, which gets the focus of a bar that goes. */
const listOf = (button: Element) =>
  button.closest('.console-bulk')?.parentElement?.querySelector<HTMLElement>('.console-list');

/** The number of selected rows, and what can be done with them. It stays in sight. */
function Bar({ count, actions, onClear }: BarProps) {
  const { t } = useTexts();
  const hasMenu = actions.length > 1;
  return (
    <section className="console-bulk" aria-label={t('bulk.selection')}>
      <div>
        <Text size="sm" fw={600} mr="auto" truncate>
          {count}
        </Text>
        {actions.map(({ name, act }) => (
          <Button
            key={name}
            size="compact-sm"
            variant="default"
            {...(hasMenu && { className: 'console-bulk-wide' })}
            onClick={act}
          >
            {name}
          </Button>
        ))}
        {hasMenu && <ActionsMenu actions={actions} />}
        <CloseButton
          size="sm"
          aria-label={t('bulk.clear')}
          title={t('bulk.clear')}
          onClick={({ currentTarget }) => {
            listOf(currentTarget)?.focus({ preventScroll: true });
            onClear();
          }}
        />
      </div>
    </section>
  );
}

/** The same actions, where the bar has no room for their buttons. */
function ActionsMenu({ actions }: Pick<BarProps, 'actions'>) {
  const { t } = useTexts();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          className="console-bulk-narrow"
          rightSection={<Icon name="chevron" size={16} />}
        >
          {t('list.actions')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ name, act }) => (
          <Menu.Item key={name} onClick={act}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
