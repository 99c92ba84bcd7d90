import { assertRefused, bodyOf } from '../../support/answers.ts';
import type { Answer, Stack } from '../../support/harness.ts';
import { inviter } from '../../support/invitations.ts';
import { signUp } from '../../support/people.ts';

export const bare = ['permission denied'];

const messages = ['this organisation requires single sign-on'];

export const isRequired = (answer: Answer) =>
  assertRefused(answer, 403, 'permission_denied', messages);

export type RequireSso = Awaited<ReturnType<typeof startRequireSso>>;

/** Two users on a stack, and the calls of the suites about tenants that require single sign-on. */
export async function startRequireSso(stack: Stack) {
  const use = inviter(stack);
  const [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  const set = (ID: string, RequireSso: boolean, token: string) =>
    stack.call('Tenants_Update', { Tenant: { ID, Name: 'Acme', Settings: { RequireSso } } }, token);
  const groups = (Tenant: string, token: string) => stack.call('Groups_List', { Tenant }, token);
  /** A tenant of Ada's that requires single sign-on. Bob is an admin in it. */
  async function strictTenant(): Promise<string> {
    const Tenant = await use.tenantOf(ada);
    await use.add(Tenant, bob, ada, 'admin');
    bodyOf(await set(Tenant, true, stack.platformKey));
    return Tenant;
  }

  return { stack, use, ada, bob, set, groups, strictTenant, stop: () => stack.stop() };
}
