import { Button, CloseIcon, Group, Select, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useCall } from '../parts/calls.ts';
import { useUser } from '../parts/person.tsx';
import { useTexts } from '../parts/texts.tsx';
import { exactTime } from '../parts/times.ts';
import { useScope } from './scope.ts';
import { type AuditFilters, filterFields } from './search.ts';
import { actionsOf, type FoundPerson, type Suggestion, suggest } from './suggestions.ts';
import { useAuditSearch } from './use-search.ts';
import { ViewsMenu } from './views-menu.tsx';

/** One search, whose choices become chips. The address of the view has them. */
export function Filters() {
  const { isFiltered } = useAuditSearch();
  return (
    <Stack gap="xs" component="search">
      <Group gap="sm" wrap="nowrap" align="end">
        <SearchField />
        <ViewsMenu />
      </Group>
      {isFiltered && <Chips />}
    </Stack>
  );
}

/** Members whose name or address matches, for those who may read them; users on the platform. */
function usePeople(text: string): FoundPerson[] {
  const { tenant, readable } = useScope();
  const [Query] = useDebouncedValue(text.trim().slice(0, 128), 200);
  const isName = Query.length > 1 && readable.users;
  const Page = { Limit: 5 };
  const members = useCall(
    'TenantMembers_List',
    { Tenant: tenant ?? '', Query, WithNames: true, Page },
    { enabled: isName && tenant !== undefined, keepsPrevious: true },
  );
  const users = useCall(
    'Users_List',
    { Query, Page },
    { enabled: isName && tenant === undefined, keepsPrevious: true },
  );
  if (!isName) return [];
  const people =
    tenant === undefined
      ? (users.data?.Page.Items ?? []).map((user) => ({ id: user.ID, user }))
      : (members.data?.Page.Items ?? []).map(({ UserID, User }) => ({ id: UserID, user: User }));
  return people.map(({ id, user }) => ({
    id,
    name: user ? [user.Name, user.Email].filter((part) => part !== '').join(' · ') : id,
  }));
}

const minuteMs = 60_000;

function SearchField() {
  const { t } = useTexts();
  const { tenant } = useScope();
  const { addFilter } = useAuditSearch();
  const [text, setText] = useState('');
  const now = Math.floor(Date.now() / minuteMs) * minuteMs;
  const suggestions = suggest(text, usePeople(text), actionsOf(tenant), t, now);
  const choose = (key: string | null) => {
    const chosen = suggestions.find((one) => keyOf(one) === key);
    setText('');
    if (chosen) addFilter(chosen.filter);
  };
  const groups = [...new Set(suggestions.map(({ group }) => group))];
  return (
    <Select
      flex={1}
      searchable
      value={null}
      searchValue={text}
      onSearchChange={setText}
      onChange={choose}
      // The suggestions are those that match.
      filter={({ options }) => options}
      label={t('audit.search')}
      placeholder={t('audit.searchAbout')}
      nothingFoundMessage={t('audit.noSuggestion')}
      data={groups.map((group) => ({
        group,
        items: suggestions
          .filter((one) => one.group === group)
          .map((one) => ({ value: keyOf(one), label: one.label })),
      }))}
    />
  );
}

const keyOf = ({ filter }: Suggestion) => JSON.stringify(filter);

function Chips() {
  const { t } = useTexts();
  const { search, setFilters } = useAuditSearch();
  const fields = filterFields.filter((field) => search[field] !== undefined);
  return (
    <Group gap="xs" role="group" aria-label={t('audit.filters')}>
      {fields.map((field) => (
        <Chip key={field} field={field} value={search[field] ?? ''} />
      ))}
      <Button size="compact-sm" variant="subtle" onClick={() => setFilters({})}>
        {t('audit.clear')}
      </Button>
    </Group>
  );
}

type ChipProps = { field: keyof AuditFilters; value: string };

/** One filter. A click removes it. */
function Chip({ field, value }: ChipProps) {
  const { t } = useTexts();
  const { removeFilter } = useAuditSearch();
  const text = useChipText({ field, value });
  return (
    <Button
      size="compact-sm"
      variant="default"
      fw={400}
      rightSection={<CloseIcon size="14" />}
      aria-label={t('audit.removeFilter', { filter: text })}
      onClick={() => removeFilter(field)}
    >
      {text}
    </Button>
  );
}

function useChipText({ field, value }: ChipProps): string {
  const { t, locale } = useTexts();
  const { readable } = useScope();
  const isPerson = value.startsWith('usr_') && readable.users;
  const { data } = useUser(value, isPerson);
  const name = data?.User.Name || data?.User.Email || value;
  const time = () => exactTime(value, locale);
  const texts: Record<keyof AuditFilters, () => string> = {
    action: () => `${t('audit.action')}: ${value}`,
    operation: () => t('audit.operationIs', { name: value }),
    actor: () => t('audit.byActor', { id: name }),
    target: () => t('audit.aboutTarget', { id: name }),
    result: () => {
      const result = (['success', 'denied', 'failed'] as const).find((one) => one === value);
      return `${t('audit.result')}: ${result ? t(`audit.${result}`) : value}`;
    },
    ip: () => t('audit.fromAddress', { ip: value }),
    from: () => t('audit.since', { time: time() }),
    to: () => t('audit.before', { time: time() }),
  };
  return texts[field]();
}
