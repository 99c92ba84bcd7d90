import type { ComponentProps } from 'react';

// The actions of a row. Plain elements: a list renders dozens of them, and a Button of Mantine takes
// several times as long to render.

const look = 'mantine-focus-auto console-row-action';

type ActionProps = Omit<ComponentProps<'button'>, 'className' | 'type'> & {
  /** Whether the action takes something away. */
  isRed?: boolean;
};

export const RowAction = ({ isRed = false, ...props }: ActionProps) => (
  <button type="button" className={look} data-red={isRed || undefined} {...props} />
);
