import { Button, Group, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../parts/texts.tsx';
import { useSearchText } from './search.ts';

type Props = { label: string; placeholder?: string; children?: ReactNode };

/** A field whose text becomes a part of the address when it is submitted. */
export function SearchField({ label, placeholder = '', children }: Props) {
  const { t } = useTexts();
  const { query, search } = useSearchText();
  const [text, setText] = useState(query);
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search({ query: text.trim() });
      }}
    >
      <Group align="end" gap="sm">
        <TextInput
          label={label}
          placeholder={placeholder}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          flex={1}
          miw={200}
          maw={420}
        />
        {children}
        <Button type="submit">{t('platform.search')}</Button>
      </Group>
    </form>
  );
}
