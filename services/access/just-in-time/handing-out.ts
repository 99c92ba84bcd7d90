import type { Run } from '@bailiwick/store';
import { findLacking, type Giver } from '../decisions/delegation.ts';
import { findGroupRoles } from '../groups/queries.ts';

// A provider and a domain hand out what their giver, the last saver, may grant at that time.

/** Decides which rights a source hands out, and notes those that it withholds. */
export type HandingOut = ReturnType<typeof createHandingOut>;

/** `giver`: undefined if the source was saved by a version that stored none; it then gives all. */
export function createHandingOut(run: Run, tenant: string, giver: Giver | undefined) {
  const withheld: string[] = [];
  let lacking = '';

  async function may(name: string, roles: readonly string[]): Promise<boolean> {
    const lacks = giver && (await findLacking(run, giver, tenant, { roles }));
    if (lacks === undefined) return true;
    withheld.push(name);
    lacking ||= lacks;
    return false;
  }

  return {
    mayGrant: (role: string) => may(`role ${role}`, [role]),
    mayFill: async ({ id, path }: { id: string; path: string }) =>
      may(`group ${path}`, await findGroupRoles(run, tenant, id)),
    result: () => ({ withheld, lacking }),
  };
}
