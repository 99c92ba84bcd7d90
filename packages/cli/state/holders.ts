import type { Holder } from './file.ts';
import { covers, type State, type Subject } from './states.ts';

/** Whether a user, bot or group is one of a rule's holders: has the role, or belongs to the group. */
export function isHolder(state: State, { kind, subject }: Holder, who: Subject): boolean {
  if (kind !== 'Role') return covers(state, { kind, subject }, who);
  return state.grants.some(
    // A grant for one resource, or one that ends, does not make its subject a holder.
    ({ Role, Resource, ExpiresAt, ...grant }) =>
      Role === subject && Resource === '' && ExpiresAt === undefined && covers(state, grant, who),
  );
}
