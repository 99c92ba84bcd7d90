import type { ItemOf } from '@bailiwick/client/client.ts';
import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useCall } from './calls.ts';
import { Id } from './copy.tsx';

/** The user of a row. A user who has not accepted is not shown to the tenant yet. */
export const useUser = (UserID: string) => useCall('Users_Get', { UserID }, { staleTime: 300_000 });

type Props = {
  id: string;
  /** The view that the name leads to. */
  to?: string | undefined;
};

/** A person by name and address, or by ID if the user may not see more. */
export function Person({ id, to }: Props) {
  const { data, isPending } = useUser(id);
  if (isPending) return <Skeleton height={20} width={160} />;
  return data ? <NameAndAddress {...data.User} to={to} /> : <PersonId id={id} to={to} />;
}

type NameProps = { Name: string; Email: string; to: string | undefined };

/** The name of a person above the address, in plain elements: a list renders dozens. */
function NameAndAddress({ Name, Email, to }: NameProps) {
  const name = Name || Email;
  return (
    <div className="console-person">
      {to === undefined ? <span>{name}</span> : <Link to={to}>{name}</Link>}
      {Name !== '' && <small>{Email}</small>}
    </div>
  );
}

const PersonId = ({ id, to }: Props) =>
  to === undefined ? (
    <Id id={id} />
  ) : (
    <div className="console-person">
      <Link to={to}>{id}</Link>
    </div>
  );

/** A member of a list `WithNames`. A tenant knows only the ID of a user who has not accepted. */
export const MemberPerson = ({
  UserID,
  User,
  to,
}: ItemOf<'TenantMembers_List'> & { to?: string }) =>
  User ? <NameAndAddress {...User} to={to} /> : <PersonId id={UserID} to={to} />;

/** A person, or a bot by its ID. */
export const Subject = ({ id }: { id: string }) =>
  id.startsWith('usr_') ? <Person id={id} /> : <Id id={id} />;
