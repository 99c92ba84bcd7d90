import { Table } from '@mantine/core';
import { useId } from 'react';
import { useTexts } from './texts.tsx';

/** The rows of a list that the user has selected, by their ids. */
export type Selection = {
  ids: ReadonlySet<string>;
  select: (ids: ReadonlySet<string>) => void;
};

const withAll = (ids: ReadonlySet<string>, more: readonly string[]) => new Set([...ids, ...more]);

const withoutAll = (ids: ReadonlySet<string>, fewer: readonly string[]) =>
  new Set([...ids].filter((id) => !fewer.includes(id)));

type AllProps = { selection: Selection; ids: readonly string[] };

/** Selects all rows of the page, or none of them. */
export function SelectAll({ selection, ids }: AllProps) {
  const { t } = useTexts();
  const count = ids.filter((id) => selection.ids.has(id)).length;
  const isAll = count > 0 && count === ids.length;
  return (
    <Table.Th scope="col" className="console-small-cell">
      <input
        type="checkbox"
        className="mantine-focus-auto console-check"
        aria-label={t('list.selectAll')}
        checked={isAll}
        ref={(box) => {
          if (box) box.indeterminate = count > 0 && !isAll;
        }}
        onChange={() => selection.select((isAll ? withoutAll : withAll)(selection.ids, ids))}
      />
    </Table.Th>
  );
}

type RowProps = { selection: Selection; id: string; nameId: string };

/** Selects one row. A plain element, because a list renders dozens. */
export function SelectRow({ selection, id, nameId }: RowProps) {
  const { t } = useTexts();
  const own = useId();
  const isSelected = selection.ids.has(id);
  return (
    <label className="console-check-area">
      <input
        type="checkbox"
        id={own}
        className="mantine-focus-auto console-check"
        aria-label={t('list.select')}
        aria-labelledby={`${own} ${nameId}`}
        checked={isSelected}
        onChange={() => selection.select((isSelected ? withoutAll : withAll)(selection.ids, [id]))}
      />
    </label>
  );
}
