import type { ReactNode } from 'react';

type Props = {
  /** A colour of the theme with its shade, on which white text is readable. Default: the accent. */
  color?: string;
  children: ReactNode;
};

/** The state of a record in one word. A plain element, because a list renders one in each row. */
export const State = ({ color, children }: Props) => (
  <span
    className="console-state"
    style={
      color === undefined ? {} : { background: `var(--mantine-color-${color.replace('.', '-')})` }
    }
  >
    {children}
  </span>
);
