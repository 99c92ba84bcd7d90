import { createId, createToken, tokenHash } from '@bailiwick/contract';
import { recordIn } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { newAddress } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';

// Creates many users: the platform creates them, and their sessions are inserted into the database
// because a sign-in costs a password hash.

export type Person = { id: string; email: string; token: string };

export async function newPerson(stack: Stack, name = 'matrix', password?: string): Promise<Person> {
  const email = newAddress(name);
  const response = await stack.call(
    'Users_Create',
    { User: { Email: email }, ...(password !== undefined && { Password: password }) },
    stack.platformKey,
  );
  const { ID: id } = recordIn(response, 'User') as { ID: string };
  return { id, email, token: (await newSession(stack, id)).token };
}

/** Creates a session of a user. A negative `endsIn` makes it expired. */
export async function newSession(
  stack: Stack,
  userId: string,
  endsIn = 3600,
  from = { tenant: '', provider: '' },
): Promise<{ id: string; token: string }> {
  const token = createToken('session');
  const id = createId('ses');
  await rowsOf(
    stack,
    `insert into identity.session (id, user_id, token_hash, auth_method, sso_tenant, provider, ip, user_agent, created_at, last_seen_at, expires_at)
     values ($1, $2, $3, $5, $6, $7, '', '', now(), now(), now() + make_interval(secs => $4))`,
    [
      id,
      userId,
      tokenHash(token),
      endsIn,
      from.tenant === '' ? 'password' : 'oidc',
      from.tenant,
      from.provider,
    ],
  );
  return { id, token };
}

/** Creates a tenant that the user owns and has accepted, by the platform. */
export async function newTenant(stack: Stack, OwnerID: string): Promise<string> {
  const response = await stack.call(
    'Tenants_Create',
    { Tenant: { Name: 'Matrix' }, OwnerID },
    stack.platformKey,
  );
  const { ID } = recordIn(response, 'Tenant') as { ID: string };
  await rowsOf(stack, 'update access.grant_entry set unasked = false where tenant = $1', [ID]);
  return ID;
}

/** Creates a link to the portal of an endpoint, with all abilities. `secret` is its token. */
export async function newPortal(
  stack: Stack,
  of: { Tenant: string; Endpoint: string },
  token: string,
): Promise<{ id: string; secret: string }> {
  const Abilities = ['bodies', 'replay', 'test', 'rotate'];
  const response = await stack.call(
    'WebhookPortals_Create',
    { ...of, Name: 'matrix', Abilities },
    token,
  );
  const { ID: id } = recordIn(response, 'Portal') as { ID: string };
  return { id, secret: new URL(String(recordIn(response, 'Link'))).hash.slice(1) };
}
