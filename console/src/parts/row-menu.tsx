import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Icon } from './icon.tsx';
import { useTexts } from './texts.tsx';

export type MenuItem = {
  text: string;
  /** The name of the item, with the row that it is about. */
  label: string;
  onSelect: () => void;
};

type Props = {
  /** The element with the name of the row. */
  nameId: string;
  items: readonly MenuItem[];
};

const itemsIn = (root: HTMLElement | null): HTMLElement[] => [
  ...(root?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []),
];

/** The height of a menu, by its number of items. */
const heightOf = (count: number) => count * 36 + 16;

/**
 * The actions of a row: a button with a menu, by the ARIA pattern. Plain elements, because a list
 * renders dozens, and a menu of Mantine takes several times as long to render.
 */
export function RowMenu({ nameId, items }: Props) {
  const { t } = useTexts();
  const id = useId();
  const { root, button, isOpen, isAbove, toggle, close, onKeyDown, onBlur } = useMenu(items.length);
  return (
    <div ref={root} className="console-row-menu" onKeyDown={onKeyDown} onBlur={onBlur}>
      <button
        ref={button}
        type="button"
        id={id}
        className="mantine-focus-auto console-row-menu-button"
        aria-label={t('list.actions')}
        aria-labelledby={`${id} ${nameId}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={toggle}
      >
        <Icon name="dots" />
      </button>
      {isOpen && (
        <div role="menu" aria-labelledby={id} data-above={isAbove || undefined}>
          {items.map(({ text, label, onSelect }) => (
            <button
              key={text}
              type="button"
              role="menuitem"
              tabIndex={-1}
              aria-label={label}
              onClick={() => {
                close();
                onSelect();
              }}
            >
              {text}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** The state of a menu with `count` items, and the handlers that move its focus. */
function useMenu(count: number) {
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // The item that gets the focus as the menu opens; undefined = it is closed.
  const [first, setFirst] = useState<0 | -1>();
  const [isAbove, setAbove] = useState(false);
  const isOpen = first !== undefined;
  useEffect(() => {
    if (first !== undefined) itemsIn(root.current).at(first)?.focus();
  }, [first]);
  const open = (item: 0 | -1) => {
    const { bottom = 0 } = button.current?.getBoundingClientRect() ?? {};
    setAbove(bottom + heightOf(count) > window.innerHeight);
    setFirst(item);
  };
  const close = () => {
    setFirst(undefined);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = actionOf(event.key, { isOpen, open, close, elements: itemsIn(root.current) });
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (!root.current?.contains(relatedTarget)) setFirst(undefined);
  };
  const toggle = () => (isOpen ? close() : open(0));
  return { root, button, isOpen, isAbove, toggle, close, onKeyDown, onBlur };
}

type MenuState = {
  isOpen: boolean;
  open: (item: 0 | -1) => void;
  close: () => void;
  elements: readonly HTMLElement[];
};

/** Answers a key at the button, or in the open menu. */
function actionOf(key: string, { isOpen, open, close, elements }: MenuState) {
  if (!isOpen) return { ArrowDown: () => open(0), ArrowUp: () => open(-1) }[key];
  const at = elements.findIndex((element) => element === document.activeElement);
  const go = (index: number) => () => elements.at(index % elements.length)?.focus();
  return {
    ArrowDown: go(at + 1),
    ArrowUp: go(Math.max(at, 0) - 1),
    Home: go(0),
    End: go(-1),
    Escape: close,
    Tab: undefined,
  }[key];
}
