import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { assertRefused, bodyOf, readList } from '../support/answers.ts';
import type { Answer, Stack } from '../support/harness.ts';
import { password } from '../support/people.ts';
import { createHome, type Home, oidcOf, saveProvider } from './home.ts';

// A tenant whose identity provider does not work, and whose domain requires it.

export type Person = { id: string; email: string; token: string };

/** Creates a user with an address in the tenant's domain, a password and a role in the tenant. */
export async function addPerson(stack: Stack, home: Home, role: string): Promise<Person> {
  const email = `${role}-${randomBytes(4).toString('hex')}@${home.domain}`;
  const { User } = bodyOf(
    await stack.call(
      'Users_Create',
      { User: { Email: email }, Password: password },
      stack.platformKey,
    ),
  ) as { User?: { ID: string } };
  assert.ok(User);
  await joinAs(stack, home, User.ID, role);
  const signedIn = await stack.call('Account_Login', { Email: email, Password: password });
  return { id: User.ID, email, token: String(bodyOf(signedIn)['Token']) };
}

/** Makes a user a member with a role. */
export async function joinAs(
  stack: Stack,
  { tenant: Tenant, owner }: Home,
  UserID: string,
  Role: string,
): Promise<void> {
  bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID }, stack.platformKey));
  bodyOf(await stack.call('Grants_Add', { Grant: { Tenant, UserID, Role } }, owner.token));
}

/** Creates a tenant with a provider that is away, and with recovery codes. */
export async function createBroken(stack: Stack) {
  const home = await createHome(stack);
  const provider = await saveProvider(stack, home, {
    ...oidcOf(`${stack.inboxUrl}/hooks/away`),
    TokenAuthMethod: 'none',
  });
  return { home, provider, codes: await createCodes(stack, home) };
}

export async function createCodes(stack: Stack, { tenant: Tenant, owner }: Home) {
  const answer = bodyOf(await stack.call('Sso_CreateRecoveryCodes', { Tenant }, owner.token));
  return answer['Codes'] as string[];
}

/** From now on the domain accepts no passwords. */
export async function requireByDomain(stack: Stack, { tenant: Tenant, owner }: Home) {
  const { items } = await readList<{ ID: string }>(stack, 'Domain_List', { Tenant }, owner.token);
  const change = { Tenant, ID: items[0]?.ID, Capture: 'require_sso' };
  bodyOf(await stack.call('Domain_Update', change, owner.token));
}

export type Requirement = {
  Required: boolean;
  LiftedUntil?: string;
  RecoveryCodesLeft: number;
  RecoveryCodesCreatedAt?: string;
};

export const requirementOf = async (stack: Stack, { tenant: Tenant, owner }: Home) =>
  bodyOf(await stack.call('Sso_GetRequirement', { Tenant }, owner.token)) as unknown as Requirement;

/** Signs in with a recovery code. */
export const recover = (
  stack: Stack,
  Email: string,
  SsoRecoveryCode: string,
  Password = password,
) => stack.call('Account_Login', { Email, Password, SsoRecoveryCode });

/** A code in the right form, of no tenant. */
export const unknown = 'k7m2p-9xq4t-3hj6w-b8nvz';

/** The answer to every sign-in that a recovery code does not let in. */
export const assertWrong = (answer: Answer) =>
  assertRefused(answer, 401, 'unauthenticated', ['email, password or recovery code is wrong']);
