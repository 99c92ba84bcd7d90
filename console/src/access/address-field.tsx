import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useCall } from '../parts/calls.ts';
import { useTexts } from '../parts/texts.tsx';

/** Finds the ID of a person by the address; '' until there is one. An ID stands for itself. */
export function useSubjectOf(text: string): { id: string; isUnknown: boolean } {
  const [settled] = useDebouncedValue(text.trim(), 300);
  const isAddress = /^[^\s@]+@[^\s@]+$/.test(settled);
  const { data, error } = useCall('Users_GetByEmail', { Email: settled }, { enabled: isAddress });
  // The answer to an earlier text is not the person of this one.
  if (settled !== text.trim()) return { id: '', isUnknown: false };
  if (/^(?:usr|bot)_/.test(settled)) return { id: settled, isUnknown: false };
  return { id: isAddress ? (data?.User?.ID ?? '') : '', isUnknown: isAddress && error !== null };
}

type Props = {
  label: string;
  description?: string;
  value: string;
  onChange: (value: string) => void;
  isUnknown: boolean;
};

/** Asks for a person by address, or for a person or a bot by ID. */
export function AddressField({ label, description, value, onChange, isUnknown }: Props) {
  const { t } = useTexts();
  return (
    <TextInput
      label={label}
      description={description}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={isUnknown && t('access.unknownPerson')}
      autoComplete="off"
      spellCheck={false}
      inputMode="email"
    />
  );
}
