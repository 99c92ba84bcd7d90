import { useId, useMemo, useState } from 'react';
import type { ListPage } from './calls.ts';
import { useTexts } from './texts.tsx';

/** The rows of a list that the user has selected, by their ids. */
export type Selection = {
  ids: ReadonlySet<string>;
  select: (ids: ReadonlySet<string>) => void;
};

/** The rows that are selected on this page and on others. Another search begins without any. */
export function useSelection<Item>(
  page: ListPage<Item> | undefined,
  idOf: (item: Item) => string,
  search: Readonly<Record<string, unknown>>,
) {
  const key = JSON.stringify(search);
  const [stored, setStored] = useState<{ key: string; rows: ReadonlyMap<string, Item> }>();
  const selected = stored?.key === key ? stored.rows : undefined;
  const ids = useMemo(() => new Set(selected?.keys()), [selected]);
  const own = new Map(page?.items.map((item) => [idOf(item), item]));
  const select = (next: ReadonlySet<string>) => {
    const rows = [...(selected ?? []), ...own].filter(([id]) => next.has(id));
    setStored({ key, rows: new Map(rows) });
  };
  return {
    // A row of this page may have changed since it was selected.
    items: [...(selected ?? [])].map(([id, item]) => own.get(id) ?? item),
    selection: { ids, select },
    clear: () => setStored(undefined),
    leaveOut: (items: readonly Item[]) => select(withoutAll(ids, items.map(idOf))),
  };
}

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
    <label className="console-check-area">
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
    </label>
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
