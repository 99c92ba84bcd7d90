import { Badge, Group, Text } from '@mantine/core';
import { useTexts } from './texts.tsx';

type Props = {
  names: readonly string[];
  /** The number of names that are shown. Default: all. */
  most?: number;
};

/** The names of roles or permissions. */
export function Labels({ names, most = names.length }: Props) {
  const { t } = useTexts();
  const more = names.length - most;
  return (
    <Group gap={4}>
      {names.slice(0, most).map((name) => (
        <Badge key={name} variant="default" tt="none">
          {name}
        </Badge>
      ))}
      {more > 0 && (
        <Text size="xs" c="dimmed">
          {t('access.andMore', { count: String(more) })}
        </Text>
      )}
    </Group>
  );
}
