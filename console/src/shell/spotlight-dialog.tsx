import { Modal, ScrollArea, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';
import type { NavigationItem } from './spotlight.tsx';
import {
  type ResultGroup,
  type SearchResult,
  usePageResults,
  useRecordResults,
} from './spotlight-results.ts';

type Props = {
  pages: readonly NavigationItem[];
  tenant: string | undefined;
  onClose: () => void;
};

type Choice = {
  all: readonly SearchResult[];
  chosen: SearchResult | undefined;
  setAt: (at: number) => void;
  onChoose: (result: SearchResult) => void;
};

/** Handles the keys of the field. */
const keysOf =
  ({ all, chosen, setAt, onChoose }: Choice) =>
  (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    // The Enter key of an input method only accepts its suggestion.
    if (event.nativeEvent.isComposing || (step === undefined && event.key !== 'Enter')) return;
    event.preventDefault();
    if (!chosen) return;
    if (step === undefined) onChoose(chosen);
    else setAt((all.indexOf(chosen) + step + all.length) % all.length);
  };

/** A field and a list of results. The arrow keys choose, and the Enter key goes there. */
export function SpotlightDialog({ pages, tenant, onClose }: Props) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const list = useId();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const [recordQuery] = useDebouncedValue(query.trim(), 150);
  const { groups: records, isPending } = useRecordResults(tenant, recordQuery);
  const groups = [usePageResults(pages, query.trim()), ...records].filter(
    ({ results }) => results.length > 0,
  );
  const all = groups.flatMap(({ results }) => results);
  const chosen = all[Math.min(at, all.length - 1)];
  const onChoose = ({ to, search = {} }: SearchResult) => {
    onClose();
    void navigate({ to, search: search as never });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      size="lg"
      padding="xs"
      returnFocus={false}
      attributes={{ content: { 'aria-label': t('search.title') } }}
    >
      <TextInput
        role="combobox"
        aria-label={t('search.title')}
        aria-expanded={all.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={chosen && `${list}-${chosen.id}`}
        placeholder={t(tenant === undefined ? 'search.pagesOnly' : 'search.about')}
        leftSection={<Icon name="search" />}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={keysOf({ all, chosen, setAt, onChoose })}
        maxLength={128}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <VisuallyHidden role="status">
        {t('search.count', { count: String(all.length) })}
      </VisuallyHidden>
      <Results
        list={list}
        groups={groups}
        chosen={chosen}
        isPending={isPending}
        onClose={onClose}
      />
    </Modal>
  );
}

type ResultsProps = {
  list: string;
  groups: readonly ResultGroup[];
  chosen: SearchResult | undefined;
  isPending: boolean;
  onClose: () => void;
};

function Results({ list, groups, chosen, isPending, onClose }: ResultsProps) {
  const { t } = useTexts();
  return (
    <ScrollArea.Autosize mah="60vh" mt="xs" viewportProps={{ tabIndex: -1 }}>
      {groups.length > 0 ? (
        <div role="listbox" id={list} aria-label={t('search.results')} aria-busy={isPending}>
          {groups.map((group) => (
            <Group key={group.id} list={list} group={group} chosen={chosen} onClose={onClose} />
          ))}
        </div>
      ) : (
        <Text c="dimmed" p="sm">
          {t(isPending ? 'list.loading' : 'search.nothing')}
        </Text>
      )}
    </ScrollArea.Autosize>
  );
}

type GroupProps = {
  list: string;
  group: ResultGroup;
  chosen: SearchResult | undefined;
  onClose: () => void;
};

const Group = ({ list, group: { id, label, icon, results }, chosen, onClose }: GroupProps) => (
  <div role="group" aria-labelledby={`${list}-${id}`}>
    <Text id={`${list}-${id}`} role="presentation" size="xs" c="dimmed" px="sm" pt="xs" pb={2}>
      {label}
    </Text>
    {results.map((one) => (
      <Link
        key={one.id}
        id={`${list}-${one.id}`}
        role="option"
        aria-selected={one === chosen}
        className="console-result"
        tabIndex={-1}
        to={one.to}
        search={(one.search ?? {}) as never}
        onClick={onClose}
        ref={(element) => {
          if (one === chosen) element?.scrollIntoView({ block: 'nearest' });
        }}
      >
        <Icon name={one.icon ?? icon} />
        <span>
          {one.label}
          {one.detail !== undefined && one.detail !== one.label && (
            <Text component="span" size="xs" display="block" c="inherit">
              {one.detail}
            </Text>
          )}
        </span>
      </Link>
    ))}
  </div>
);
