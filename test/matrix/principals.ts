import { createId } from '@bailiwick/contract';
import { bodyOf } from '../support/answers.ts';
import { createBot, createKey } from '../support/bots.ts';
import { newIdentity } from '../support/federation.ts';
import type { Stack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import { newPerson, newPortal, newSession, newTenant, type Person } from './people.ts';
import type { Place, Principal } from './place.ts';
import * as roles from './roles.ts';

// The callers with a credential of their own kind: a limited session, bot keys and a portal session.

/**
 * An owner of another tenant and of the platform. The session came from the tenant's provider and
 * was linked by its address alone, so it is limited.
 */
export async function newLimited(stack: Stack, { tenant }: Place): Promise<Person> {
  const person = await newPerson(stack, 'limited');
  const foreign = await newTenant(stack, person.id);
  for (const Tenant of [tenant, foreign])
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: person.id }, stack.platformKey));
  await rowsOf(
    stack,
    `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at) values ('', $1, 'user', $2, 'platform-owner', '', '', now())`,
    [createId('grt'), person.id],
  );
  const provider = await newIdentity(stack, person.id, tenant);
  return {
    ...person,
    token: (await newSession(stack, person.id, 3600, { tenant, provider })).token,
  };
}

/** A bot with the role admin, with a full key and a narrowed key. */
export async function makeBots(
  stack: Stack,
  { tenant: Tenant, ownerToken }: Place,
): Promise<Principal[]> {
  const bot = await createBot(stack, Tenant, ownerToken, { Name: 'caller' });
  bodyOf(
    await stack.call(
      'BotGrants_Add',
      { Grant: { Tenant, Bot: bot.ID, Role: 'admin' } },
      ownerToken,
    ),
  );
  const part = ['iam.groups.read', 'iam.groups.write', 'iam.webhooks.read'];
  const [whole, narrowed] = [
    await createKey(stack, bot, ownerToken),
    await createKey(stack, bot, ownerToken, { Permissions: part }),
  ];
  const caller = (name: string, token: string, own: roles.Holds): Principal => ({
    name,
    kind: 'bot',
    token,
    id: bot.ID,
    email: '',
    home: 'own',
    inTenant: { own },
    onPlatform: roles.nothing,
  });
  return [
    caller('bot', whole.Secret, roles.admin),
    caller('a narrowed key', narrowed.Secret, roles.only(...part)),
  ];
}

/** A session of the receivers' portal of the endpoint that the requests are about. */
export async function makePortal(
  stack: Stack,
  { tenant, ids, ownerToken }: Place,
): Promise<Principal> {
  const { id, secret } = await newPortal(
    stack,
    { Tenant: tenant, Endpoint: ids['whk'] ?? '' },
    ownerToken,
  );
  const { Token } = bodyOf(await stack.call('Portal_Open', { Token: secret }));
  return {
    name: 'a portal session',
    kind: 'portal',
    token: String(Token),
    id,
    email: '',
    home: 'own',
    inTenant: {},
    onPlatform: roles.portal,
  };
}
