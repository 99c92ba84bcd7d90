import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

type Props = {
  name: ReactNode;
  /** The view that the name leads to. */
  to?: string;
  detail?: ReactNode;
};

export const NameCell = ({ name, to, detail }: Props) => (
  <>
    {to === undefined ? (
      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
    ) : (
      <Anchor component={Link} to={to} size="sm" fw={600}>
        {name}
      </Anchor>
    )}
    {detail !== undefined && detail !== '' && (
      <Text size="xs" c="dimmed" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
        {detail}
      </Text>
    )}
  </>
);
