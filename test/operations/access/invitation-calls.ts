import { readList } from '../../support/answers.ts';
import type { Topology } from '../../support/harness.ts';
import { type Invitation, inviter } from '../../support/invitations.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

export type Invitations = Awaited<ReturnType<typeof startInvitations>>;

/** The stack, two people and the calls of the suites about invitations. */
export async function startInvitations(topology: Topology) {
  const stack = await sharedStack(topology);
  const use = inviter(stack);
  const [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  const pageOf = async (Email: string, token: string) =>
    (await readList<Invitation>(stack, 'TenantInvitations_ListByEmail', { Email }, token)).items;

  return { stack, use, ada, bob, pageOf, stop: () => stack.stop() };
}
