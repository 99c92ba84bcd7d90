import type { Run, Statement } from '@bailiwick/store';

const linked: Statement<{ id: string }, [tenant: string, userId: string, own: string]> = {
  name: 'access.scim_linked',
  text: 'select id from scim_user where tenant = $1 and user_id = $2 and id <> $3 limit 1',
};

/**
 * Whether another person of the directory has an account. Two people with one account would end each
 * other's membership. The tenant is locked.
 */
export async function isLinked(
  run: Run,
  { tenant, id }: { tenant: string; id: string },
  userId: string,
): Promise<boolean> {
  return (await run(linked, [tenant, userId, id])).length > 0;
}
