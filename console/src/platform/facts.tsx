import { Paper, Table } from '@mantine/core';
import type { ReactNode } from 'react';

type Fact = { name: string; value: ReactNode };

/** The fields of a record, one a line. */
export const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <Paper withBorder p={0}>
    <Table verticalSpacing="xs">
      <Table.Tbody>
        {facts.map(({ name, value }) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w="40%" fw={400} c="dimmed">
              {name}
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Paper>
);
