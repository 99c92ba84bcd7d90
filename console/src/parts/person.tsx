import { Skeleton, Text } from '@mantine/core';
import { useCall } from './calls.ts';
import { Id } from './copy.tsx';

/** The user of a row. A user who has not accepted is not shown to the tenant yet. */
export const useUser = (UserID: string) => useCall('Users_Get', { UserID }, { staleTime: 300_000 });

/** A person by name and address, or by ID if the user may not see more. */
export function Person({ id }: { id: string }) {
  const { data, isPending } = useUser(id);
  if (isPending) return <Skeleton height={20} width={160} />;
  if (!data) return <Id id={id} />;
  const { Name, Email } = data.User;
  return (
    <>
      <Text size="sm" fw={500}>
        {Name || Email}
      </Text>
      {Name !== '' && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {Email}
        </Text>
      )}
    </>
  );
}

/** A person, or a bot by its ID. */
export const Subject = ({ id }: { id: string }) =>
  id.startsWith('usr_') ? <Person id={id} /> : <Id id={id} />;
