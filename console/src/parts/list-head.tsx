import { Group, NativeSelect } from '@mantine/core';
import type { Sorting } from './list-search.ts';
import { SelectAll, type Selection } from './list-selection.tsx';
import { useTexts } from './texts.tsx';

type Column = { header: string; sort?: string };

type Props = {
  columns: readonly Column[];
  sorting?: Sorting | undefined;
  selection?: Selection | undefined;
  ids: readonly string[];
};

/** The header of a list of cards on a phone: the checkbox for all of them, and their order. */
export function ListHead({ columns, sorting, selection, ids }: Props) {
  const orders = columns.filter(({ sort }) => sort !== undefined);
  const hasOrder = sorting !== undefined && orders.length > 0;
  if (!selection && !hasOrder) return undefined;
  return (
    <Group className="console-list-head" gap="xs" wrap="nowrap" justify="space-between">
      {selection && <SelectAll selection={selection} ids={ids} />}
      {hasOrder && <OrderSelect columns={orders} sorting={sorting} />}
    </Group>
  );
}

type OrderProps = { columns: readonly Column[]; sorting: Sorting };

function OrderSelect({ columns, sorting }: OrderProps) {
  const { t } = useTexts();
  const { by, isDescending, onOrder } = sorting;
  return (
    <NativeSelect
      size="xs"
      ml="auto"
      miw={0}
      aria-label={t('list.sortBy')}
      value={by === '' ? '' : `${by} ${isDescending ? 'down' : 'up'}`}
      data={[
        { value: '', label: t('list.sortBy') },
        ...columns.flatMap(({ sort = '', header }) => [
          { value: `${sort} up`, label: t('list.ascending', { column: header }) },
          { value: `${sort} down`, label: t('list.descending', { column: header }) },
        ]),
      ]}
      onChange={(event) => {
        const [next = '', direction] = event.currentTarget.value.split(' ');
        onOrder(next, direction === 'down');
      }}
    />
  );
}
