import { bodyOf, recordIn } from '../../support/answers.ts';
import type { Stack } from '../../support/harness.ts';
import { newAddress, password, signUp } from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';

export type User = {
  ID: string;
  Email: string;
  Name: string;
  Status: string;
  Metadata: object;
  ExternalID: string;
  UpdatedAt: string;
};

export const missing = 'usr_01hzzzzzzzzzzzzzzzzzzzzzzz';

export type Users = Awaited<ReturnType<typeof startUsers>>;

/** The stack, three people and the calls of the suites about users. */
export async function startUsers(stack: Stack) {
  const [ada, bob, carol] = await Promise.all([signUp(stack), signUp(stack), signUp(stack)]);
  const platform = (operation: string, body: object) =>
    stack.call(operation, body, stack.platformKey);
  const add = async (tenant: string, { id }: { id: string }) =>
    bodyOf(await platform('TenantMembers_Add', { Tenant: tenant, UserID: id }));
  const eventsAbout = (id: string) =>
    rowsOf<{ type: string }>(
      stack,
      `select type from identity.outbox where event::jsonb->'data'->>'ID' = $1 order by created_at, id`,
      [id],
    );
  const typesAbout = async (id: string) => (await eventsAbout(id)).map(({ type }) => type);
  const provision = async (): Promise<User> =>
    recordIn(
      await platform('Users_Create', { User: { Email: newAddress() }, Password: password }),
      'User',
    ) as User;

  return { stack, ada, bob, carol, platform, add, typesAbout, provision, stop: () => stack.stop() };
}
