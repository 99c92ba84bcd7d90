import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newPerson, newTenant } from '../matrix/people.ts';
import { bodyOf, recordIn } from '../support/answers.ts';
import { createBot } from '../support/bots.ts';
import { describeOne, eventually, type Stack } from '../support/harness.ts';
import { sharedStack } from '../support/shared.ts';
import { rowsOf, whileLocked } from '../support/store.ts';

// A change waits for a row while its right ends. One operation of each service; the long lane holds
// every changing operation (test/races/ended-rights.long.test.ts).

describeOne('a change that waits for a row', 'one process', (topology) => {
  let stack: Stack;
  let owner: { id: string; token: string };
  let tenant: string;
  before(async () => {
    stack = await sharedStack(topology);
    owner = await newPerson(stack, 'owner');
    tenant = await newTenant(stack, owner.id);
  });
  after(() => stack?.stop());

  const byOwner = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, owner.token));

  /** A second owner of the tenant, whose right ends. */
  async function newDeputy() {
    const deputy = await newPerson(stack, 'deputy');
    const member = { Tenant: tenant, UserID: deputy.id };
    bodyOf(await stack.call('TenantMembers_Add', member, stack.platformKey));
    const Grant = { ...member, Role: 'owner' };
    await byOwner('Grants_Add', { Grant });
    return { ...deputy, Grant };
  }
  type Deputy = Awaited<ReturnType<typeof newDeputy>>;

  const endings: Record<string, (deputy: Deputy) => Promise<unknown>> = {
    'its grant is removed': ({ Grant }) => byOwner('Grants_Remove', { Grant }),
    'its user is disabled': async ({ id: UserID }) =>
      bodyOf(await stack.call('Users_Disable', { UserID }, stack.platformKey)),
    'its session ends': async ({ token }) =>
      bodyOf(await stack.call('Sessions_RevokeAll', {}, token)),
  };

  /** The row that a change waits for, the change, and the text of what it would have written. */
  type Held = { table: string; id: string; operation: string; body: object; written: string };

  async function group(name: string): Promise<Held> {
    const Group = { Tenant: tenant, Path: name };
    await byOwner('Groups_Save', { Group });
    const [row] = await rowsOf<{ id: string }>(
      stack,
      'select id from access.group_entry where tenant = $1 and path = $2',
      [tenant, name],
    );
    const body = { Group: { ...Group, Name: `held ${name}` } };
    return {
      table: 'access.group_entry',
      id: row?.id ?? '',
      operation: 'Groups_Save',
      body,
      written: `held ${name}`,
    };
  }

  async function key(name: string): Promise<Held> {
    const { ID: id } = await createBot(stack, tenant, owner.token);
    const body = { Tenant: tenant, Bot: id, Name: `held ${name}` };
    return {
      table: 'identity.bot',
      id,
      operation: 'BotKeys_Create',
      body,
      written: `held ${name}`,
    };
  }

  async function provider(name: string): Promise<Held> {
    const Provider = {
      Tenant: tenant,
      Kind: 'oidc',
      Name: name,
      Issuer: `${stack.inboxUrl}/hooks/op`,
      ClientID: 'held',
      TokenAuthMethod: 'none',
    };
    const { ID } = recordIn(
      await stack.call('Sso_SaveProvider', { Provider }, owner.token),
      'Provider',
    ) as { ID: string };
    const body = { Provider: { ...Provider, ID, Name: `held ${name}` } };
    return {
      table: 'sso.provider',
      id: ID,
      operation: 'Sso_SaveProvider',
      body,
      written: `held ${name}`,
    };
  }

  async function endpoint(name: string): Promise<Held> {
    const Endpoint = {
      Tenant: tenant,
      Name: name,
      URL: `${stack.inboxUrl}/hooks/held`,
      EventTypes: ['group.*'],
    };
    const { ID } = recordIn(
      await stack.call('Webhooks_CreateEndpoint', { Endpoint }, owner.token),
      'Endpoint',
    ) as { ID: string };
    const body = { Endpoint: { ...Endpoint, ID, Name: `held ${name}` } };
    return {
      table: 'notifications.webhook_endpoint',
      id: ID,
      operation: 'Webhooks_UpdateEndpoint',
      body,
      written: `held ${name}`,
    };
  }

  for (const [operation, prepare] of Object.entries({ group, key, provider, endpoint }))
    for (const [ending, end] of Object.entries(endings))
      test(`${operation}: nothing is committed once ${ending}`, async () => {
        const deputy = await newDeputy();
        const held = await prepare(`${operation}-${ending.replaceAll(' ', '-')}`);
        const answer = await whileLocked(
          stack,
          `select 1 from ${held.table} where id = $1 for update`,
          [held.id],
          async () => {
            const call = stack.call(held.operation, held.body, deputy.token);
            await eventually('the change to wait for the row', async () => {
              const waiting = await rowsOf(
                stack,
                `select 1 from pg_locks w join pg_locks h on h.locktype = 'relation' and h.relation = $1::regclass
                 where not w.granted and w.pid = h.pid`,
                [held.table],
              );
              return waiting.length > 0;
            });
            await end(deputy);
            return { call };
          },
        );
        const { status, body } = await answer.call;
        // 429: it has waited for the row for too long, which a busy machine can bring about.
        assert.ok([401, 403, 429].includes(status), `${status} ${JSON.stringify(body)}`);
        const found = await rowsOf(
          stack,
          `select 1 from ${held.table === 'identity.bot' ? 'identity.bot_key' : held.table} where name = $1`,
          [held.written],
        );
        assert.equal(found.length, 0);
      });
});
