import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Empty } from './empty.tsx';
import { useListSearch } from './list-search.ts';
import { useTexts } from './texts.tsx';

export type Choice = {
  name: 'status' | 'source';
  label: string;
  values: ReadonlyArray<{ value: string; label: string }>;
};

/** The search field and the filters above a list. They stand in the view's address. */
export function ListFilters({
  label,
  choices = [],
}: {
  label: string;
  choices?: readonly Choice[];
}) {
  const { t } = useTexts();
  const { search, change } = useListSearch();
  return (
    <Group role="search" align="end" gap="sm">
      <QueryField label={label} />
      {choices.map(({ name, label, values }) => (
        <NativeSelect
          key={name}
          label={label}
          value={search[name] ?? ''}
          onChange={(event) => change({ [name]: event.currentTarget.value })}
          data={[{ value: '', label: t('list.any') }, ...values]}
        />
      ))}
    </Group>
  );
}

/** Searches with each key. A newer search cancels the call of an older one. */
function QueryField({ label }: { label: string }) {
  const { search, change } = useListSearch();
  const query = search.query ?? '';
  const [text, setText] = useState(query);
  const lastQuery = useRef(query);
  const send = (next: string) => {
    setText(next);
    if (next.trim() === lastQuery.current) return;
    lastQuery.current = next.trim();
    change({ query: lastQuery.current }, true);
  };
  // The address has changed by other means than this field.
  useEffect(() => {
    if (query === lastQuery.current) return;
    lastQuery.current = query;
    setText(query);
  }, [query]);
  return (
    <TextInput
      type="search"
      label={label}
      value={text}
      onChange={(event) => send(event.currentTarget.value)}
      maxLength={128}
      autoComplete="off"
      spellCheck={false}
      flex={1}
      miw={200}
      maw={420}
    />
  );
}

/** Stands in place of a list in which nothing matches the search. */
export function NoMatch() {
  const { t } = useTexts();
  return <Empty icon="warning" title={t('list.noMatch')} description={t('list.noMatchAbout')} />;
}
