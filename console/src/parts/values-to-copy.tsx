import { Box, Code, Group, Stack, Text } from '@mantine/core';
import { Copy } from './copy.tsx';

type ValueToCopy = { name: string; value: string };

/** Values that the user enters elsewhere, each under its name there. */
export const ValuesToCopy = ({ values }: { values: readonly ValueToCopy[] }) => (
  <Stack gap="sm">
    {values.map(({ name, value }) => (
      <Box key={name}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Group gap={4} wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
          <Copy text={value} what={name} />
        </Group>
      </Box>
    ))}
  </Stack>
);
