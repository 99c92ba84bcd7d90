import { columns } from '@bailiwick/client/import/mod.ts';
import { Alert, Code, FileInput, Group, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { useTexts } from '../../parts/texts.tsx';
import { type FileProblem, maxRows, readUserFile, type UserFile } from './read-file.ts';

type Props = {
  /** Gets the name of each chosen file; '' if it was removed. */
  onName: (name: string) => void;
  /** Gets the file once it is read, and undefined for one that cannot be imported. */
  onFile: (file: UserFile | undefined) => void;
};

export function FileField({ onName, onFile }: Props) {
  const { t, locale } = useTexts();
  const [problem, setProblem] = useState<FileProblem>();
  const [isReading, setReading] = useState(false);
  const latest = useRef<File>(null);
  const count = new Intl.NumberFormat(locale).format(maxRows);
  async function choose(chosen: File | null): Promise<void> {
    latest.current = chosen;
    setProblem(undefined);
    onName(chosen?.name ?? '');
    onFile(undefined);
    if (!chosen) return;
    setReading(true);
    const read = await readUserFile(chosen);
    // Another file may have been chosen meanwhile.
    if (latest.current !== chosen) return;
    setReading(false);
    if ('key' in read) setProblem(read);
    else onFile(read);
  }
  return (
    <Stack gap="xs">
      <FileInput
        label={t('import.file')}
        description={t('import.fileAbout', { count })}
        placeholder={t('import.choose')}
        accept=".csv,.jsonl,.ndjson"
        leftSection={<Icon name="upload" size={16} />}
        styles={{ placeholder: { color: 'var(--mantine-color-dimmed)' } }}
        clearable
        clearButtonProps={{ 'aria-label': t('import.removeFile') }}
        aria-busy={isReading}
        onChange={(chosen) => void choose(chosen)}
      />
      {problem && (
        <Alert role="alert" color="red" icon={<Icon name="warning" />} title={t('import.unusable')}>
          <Text size="sm">{t(problem.key, { count, ...problem.values })}</Text>
        </Alert>
      )}
      <Group gap={4}>
        <Text size="xs" c="dimmed">
          {t('import.columns')}
        </Text>
        {[...columns, 'Metadata.*'].map((name) => (
          <Code key={name}>{name}</Code>
        ))}
      </Group>
    </Stack>
  );
}
