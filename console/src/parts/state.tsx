import type { CSSProperties, ReactNode } from 'react';
import type { TextKey } from './text-keys.ts';
import { type Translate, useTexts } from './texts.tsx';

type Props = {
  /** A colour of the theme, of the dot before the word. Default: the accent. */
  color?: string;
  children: ReactNode;
};

/** The name of a colour without its shade: each scheme has a shade of its own. */
const nameOf = (color: string) => color.split('.', 1)[0] ?? color;

/** The state of a record in one word. A plain element, because a list renders one in each row. */
export const State = ({ color, children }: Props) => (
  <span
    className="console-state"
    style={{ '--state': color && `var(--mantine-color-${nameOf(color)}-text)` } as CSSProperties}
  >
    {children}
  </span>
);

/** The texts and colours of the states of a kind of record. */
export type States = Readonly<Record<string, { text: TextKey; color: string }>>;

/** One of the states; a state that is newer than the console shows its own name. */
export function StateOf({ states, state }: { states: States; state: string }) {
  const { t } = useTexts();
  const style = states[state];
  return <State color={style?.color ?? 'gray.7'}>{style ? t(style.text) : state}</State>;
}

/** The states as the choices of a filter. */
export const choicesOf = (states: Readonly<Record<string, { text: TextKey }>>, t: Translate) =>
  Object.entries(states).map(([value, { text }]) => ({ value, label: t(text) }));
