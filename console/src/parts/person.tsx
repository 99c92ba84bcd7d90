import type { ItemOf } from '@bailiwick/client/client.ts';
import { Skeleton } from '@mantine/core';
import { useCall } from './calls.ts';
import { Id } from './copy.tsx';
import { NameCell } from './name-cell.tsx';

/** The user of a row. A user who has not accepted is not shown to the tenant yet. */
export const useUser = (UserID: string, isEnabled = true) =>
  useCall('Users_Get', { UserID }, { staleTime: 300_000, enabled: isEnabled });

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

type NameProps = { Name: string; Email: string; to?: string | undefined };

/** The first letters of a name: of its first and its last word. */
function initialsOf(name: string): string {
  const words = name.split(/[\s@.]+/).filter((word) => /^\p{L}/u.test(word));
  const last = name.includes('@') ? undefined : words.slice(1).at(-1);
  return [words[0], last].map((word = '') => /^./u.exec(word)?.[0] ?? '').join('');
}

/** The initials of a person in a circle. */
const Initials = ({ of: name }: { of: string }) => (
  <span className="console-initials" aria-hidden="true">
    {initialsOf(name).toUpperCase()}
  </span>
);

/** The name of a person with the address. */
export function NameAndAddress({ Name, Email, to }: NameProps) {
  const name = Name || Email;
  return (
    <NameCell mark={<Initials of={name} />} name={name} to={to} detail={Name === '' ? '' : Email} />
  );
}

const PersonId = ({ id, to }: Props) =>
  to === undefined ? <Id id={id} /> : <NameCell name={id} to={to} />;

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
