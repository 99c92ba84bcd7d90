import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

type Props = {
  name: ReactNode;
  /** The view that the name leads to, and a click on its row. */
  to?: string | undefined;
  detail?: ReactNode;
  /** Stands before the name. */
  mark?: ReactNode;
};

/** A name and a detail in one line, in plain elements: a list renders dozens. */
export const NameCell = ({ name, to, detail = '', mark }: Props) => (
  <div className="console-name">
    {mark}
    {to === undefined ? (
      <strong>{name}</strong>
    ) : (
      <Link to={to} className="console-row-link">
        {name}
      </Link>
    )}
    {detail !== '' && <small>{detail}</small>}
  </div>
);
