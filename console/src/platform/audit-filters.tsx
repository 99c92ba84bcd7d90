import { Autocomplete, Button, Group, NativeSelect, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useCall } from '../parts/calls.ts';
import { Subject } from '../parts/person.tsx';
import { useTexts } from '../parts/texts.tsx';
import { periods, useAuditSearch } from './audit-search.ts';

/** The beginnings of the platform's actions. Others may be typed. */
const actions = [
  'user.',
  'session.',
  'grant.',
  'bot_grant.',
  'key.',
  'oauth_app.',
  'sso_provider.',
  'mail_suppression.',
];

const isId = (text: string) => /^(?:usr|bot)_[0-9a-z]{26}$/.test(text);

/** Selects entries by person, action and time. Each choice takes effect at once. */
export function AuditFilters() {
  const { t } = useTexts();
  const { search, isFiltered, change, clear } = useAuditSearch();
  return (
    <Group role="search" align="end" gap="sm">
      {search.actor === undefined && <ActorField onActor={(actor) => change({ actor })} />}
      <ActionField key={search.action} />
      <NativeSelect
        label={t('platform.period')}
        value={search.period ?? ''}
        onChange={(event) => change({ period: event.currentTarget.value })}
        data={[
          { value: '', label: t('list.any') },
          ...Object.keys(periods).map((period) => ({
            value: period,
            label: t(periodTexts[period as keyof typeof periods]),
          })),
        ]}
      />
      {isFiltered && (
        <Button variant="default" onClick={clear}>
          {t('audit.clear')}
        </Button>
      )}
      {search.actor !== undefined && (
        <Text size="sm" component="div">
          {t('audit.actor')}: <Subject id={search.actor} />
        </Text>
      )}
    </Group>
  );
}

const periodTexts = {
  hour: 'platform.lastHour',
  day: 'platform.last24Hours',
  week: 'platform.last7Days',
  month: 'platform.lastDays',
} as const;

/** Finds a user by the beginning of the name or address, or takes an ID. */
function ActorField({ onActor }: { onActor: (id: string) => void }) {
  const { t } = useTexts();
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text.trim().slice(0, 128), 200);
  const isName = query !== '' && !/^(?:usr|bot)_/.test(query);
  const request = { Query: query, Page: { Limit: 8 } };
  const { data } = useCall('Users_List', request, { enabled: isName, keepsPrevious: true });
  const users = isName ? (data?.Page.Items ?? []) : [];
  const choose = (address: string) => {
    const user = users.find(({ Email }) => Email === address);
    if (user) onActor(user.ID);
  };
  const type = (next: string) => {
    setText(next);
    if (isId(next.trim())) onActor(next.trim());
  };
  return (
    <Autocomplete
      label={t('audit.actor')}
      placeholder={t('platform.actorHint')}
      value={text}
      onChange={type}
      onOptionSubmit={choose}
      data={users.map(({ Email }) => Email)}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <span>
          <Text size="sm">
            {users.find(({ Email }) => Email === option.value)?.Name || option.value}
          </Text>
          <Text size="xs" c="dimmed">
            {option.value}
          </Text>
        </span>
      )}
      autoComplete="off"
      spellCheck={false}
      flex={1}
      miw={200}
      maw={320}
    />
  );
}

/** Takes the beginning of an action, from the list or typed and sent with Enter. */
function ActionField() {
  const { t } = useTexts();
  const { search, change } = useAuditSearch();
  const [text, setText] = useState(search.action ?? '');
  const send = (action: string) => change({ action: action.trim() });
  return (
    <Autocomplete
      label={t('audit.action')}
      value={text}
      onChange={setText}
      onOptionSubmit={send}
      onKeyDown={(event) => event.key === 'Enter' && send(text)}
      data={actions}
      maxLength={64}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
