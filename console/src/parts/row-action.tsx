import type { ComponentProps } from 'react';

// The actions of a row. Plain elements: a list renders dozens of them, and a Button of Mantine takes
// several times as long to render.

type ActionProps = Omit<ComponentProps<'button'>, 'className' | 'type'>;

export const RowAction = (props: ActionProps) => (
  <button type="button" className="mantine-focus-auto console-row-action" {...props} />
);
