import { useCall } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Person, Subject } from '../parts/person.tsx';
import { useTenant } from '../shell/routes.tsx';
import type { Holder } from './grant-kinds.ts';

/** A person or a bot by name, as far as the user may see it. */
export const SubjectName = ({ id }: { id: string }) =>
  id.startsWith('bot_') ? <BotName id={id} /> : <Subject id={id} />;

/** The holder of a grant, with the way to their page. */
export function HolderName({ of, id }: { of: Holder; id: string }) {
  const { Slug, may } = useTenant();
  const at = `/console/t/${Slug}`;
  if (of === 'people')
    return <Person id={id} to={may('iam.users.read') ? `${at}/members/${id}` : undefined} />;
  if (of === 'bots')
    return <BotName id={id} {...(may('iam.bots.read') && { to: `${at}/bots/${id}/roles` })} />;
  const to = `${at}/groups?group=${encodeURIComponent(id)}`;
  return <NameCell name={id} {...(may('iam.groups.read') && { to })} />;
}

function BotName({ id, to }: { id: string; to?: string }) {
  const { ID: Tenant, may } = useTenant();
  const options = { enabled: may('iam.bots.read'), staleTime: 300_000 };
  const { data } = useCall('Bots_Get', { Tenant, ID: id }, options);
  if (!data) return <Id id={id} />;
  return <NameCell name={data.Bot.Name} {...(to !== undefined && { to })} />;
}
