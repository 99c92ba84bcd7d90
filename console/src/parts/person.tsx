import type { ItemOf } from '@bailiwick/client/client.ts';
import { Skeleton } from '@mantine/core';
import { useCall } from './calls.ts';
import { Id } from './copy.tsx';

/** The user of a row. A user who has not accepted is not shown to the tenant yet. */
export const useUser = (UserID: string) => useCall('Users_Get', { UserID }, { staleTime: 300_000 });

/** A person by name and address, or by ID if the user may not see more. */
export function Person({ id }: { id: string }) {
  const { data, isPending } = useUser(id);
  if (isPending) return <Skeleton height={20} width={160} />;
  return data ? <NameAndAddress {...data.User} /> : <Id id={id} />;
}

/** The name of a person above the address, in plain elements: a list renders dozens. */
function NameAndAddress({ Name, Email }: { Name: string; Email: string }) {
  return (
    <div className="console-person">
      <span>{Name || Email}</span>
      {Name !== '' && <small>{Email}</small>}
    </div>
  );
}

/** A member of a list `WithNames`. A tenant knows only the ID of a user who has not accepted. */
export const MemberPerson = ({ UserID, User }: ItemOf<'TenantMembers_List'>) =>
  User ? <NameAndAddress {...User} /> : <Id id={UserID} />;

/** A person, or a bot by its ID. */
export const Subject = ({ id }: { id: string }) =>
  id.startsWith('usr_') ? <Person id={id} /> : <Id id={id} />;
