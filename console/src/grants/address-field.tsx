import { Autocomplete, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useCall } from '../parts/calls.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

const isId = (text: string) => /^(?:usr|bot)_[0-9a-z]{26}$/.test(text);

/** Finds the ID of a person by the address; '' until there is one. An ID stands for itself. */
export function useSubjectOf(text: string): { id: string; isUnknown: boolean } {
  const [subject] = useDebouncedValue(text.trim(), 300);
  const isAddress = /^[^\s@]+@[^\s@]+$/.test(subject);
  const { data, error } = useCall('Users_GetByEmail', { Email: subject }, { enabled: isAddress });
  if (isId(text.trim())) return { id: text.trim(), isUnknown: false };
  // The answer to an earlier text is not the person of this one.
  if (subject !== text.trim()) return { id: '', isUnknown: false };
  return { id: isAddress ? (data?.User?.ID ?? '') : '', isUnknown: isAddress && error !== null };
}

/** The members whose name or address contains the text, by their addresses. */
function useMembers(text: string, isEnabled: boolean): ReadonlyMap<string, string> {
  const { ID: Tenant, may } = useTenant();
  const [query] = useDebouncedValue(text.trim(), 150);
  const isName = query !== '' && !/^(?:usr|bot)_/.test(query);
  const isSearch = isEnabled && isName && may('iam.users.read');
  const request = { Tenant, Query: query.slice(0, 128), Page: { Limit: 8 } };
  const options = { enabled: isSearch, keepsPrevious: true };
  const { data } = useCall('Users_ListByTenant', request, options);
  const users = isSearch ? (data?.Page.Items ?? []) : [];
  return new Map(users.map(({ Email, Name }) => [Email, Name]));
}

type Props = {
  label: string;
  description?: string;
  value: string;
  onChange: (value: string) => void;
  isUnknown: boolean;
  /** Another fault of it. */
  error?: ReactNode;
  /** Whether the field suggests members. */
  suggests?: boolean;
};

/** Asks for a person by name or address, or for a person or a bot by ID. */
export function AddressField(props: Props) {
  const { label, description, value, onChange, isUnknown, error, suggests = true } = props;
  const { t } = useTexts();
  const members = useMembers(value, suggests);
  return (
    <Autocomplete
      label={label}
      description={description}
      value={value}
      onChange={onChange}
      data={[...members.keys()]}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <span>
          <Text size="sm">{members.get(option.value) || option.value}</Text>
          <Text size="xs" c="dimmed">
            {option.value}
          </Text>
        </span>
      )}
      error={isUnknown ? t('access.unknownPerson') : error}
      autoComplete="off"
      spellCheck={false}
      inputMode="email"
    />
  );
}
