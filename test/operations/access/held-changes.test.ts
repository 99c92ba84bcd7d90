import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newPerson, newTenant } from '../../matrix/people.ts';
import { bodyOf, recordIn } from '../../support/answers.ts';
import { createBot } from '../../support/bots.ts';
import { newIdentity } from '../../support/federation.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf, whileLocked } from '../../support/store.ts';

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

  const removeGrant = ({ Grant }: Deputy) => byOwner('Grants_Remove', { Grant });
  const endSessions = async ({ token }: Deputy) =>
    bodyOf(await stack.call('Sessions_RevokeAll', {}, token));

  const endings: Record<string, (deputy: Deputy) => Promise<unknown>> = {
    'its grant is removed': removeGrant,
    'its user is disabled': async ({ id: UserID }) =>
      bodyOf(await stack.call('Users_Disable', { UserID }, stack.platformKey)),
    'its session ends': endSessions,
  };

  /** The row that a change waits for, the change, and the text of what it would have written. */
  type ChangeCase = { table: string; id: string; operation: string; body: object; written: string };

  async function group(name: string): Promise<ChangeCase> {
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

  async function key(name: string): Promise<ChangeCase> {
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

  async function provider(name: string): Promise<ChangeCase> {
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

  async function endpoint(name: string): Promise<ChangeCase> {
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

  /** Ends the right of a deputy while its change waits for the row. */
  async function assertRefusedLate(
    {
      table,
      id,
      operation,
      body: request,
      row = 'id',
    }: Omit<ChangeCase, 'written'> & { row?: string },
    { token }: Deputy,
    end: () => Promise<unknown>,
  ): Promise<void> {
    const answer = await whileLocked(
      stack,
      `select 1 from ${table} where ${row} = $1 for update`,
      [id],
      async () => {
        const call = stack.call(operation, request, token);
        await eventually('the change to wait for the row', async () => {
          const waiting = await rowsOf(
            stack,
            `select 1 from pg_locks w join pg_locks h on h.locktype = 'relation' and h.relation = $1::regclass
             where not w.granted and w.pid = h.pid`,
            [table],
          );
          return waiting.length > 0;
        });
        await end();
        return { call };
      },
    );
    const { status, body } = await answer.call;
    // 429, or 503 of a part: it has waited for the row for too long, as on a busy machine.
    assert.ok([401, 403, 429, 503].includes(status), `${status} ${JSON.stringify(body)}`);
  }

  for (const [operation, prepare] of Object.entries({ group, key, provider, endpoint }))
    for (const [ending, end] of Object.entries(endings))
      test(`${operation}: nothing is committed once ${ending}`, async () => {
        const deputy = await newDeputy();
        const change = await prepare(`${operation}-${ending.replaceAll(' ', '-')}`);
        await assertRefusedLate(change, deputy, () => end(deputy));
        const rows = await rowsOf(
          stack,
          `select 1 from ${change.table === 'identity.bot' ? 'identity.bot_key' : change.table} where name = $1`,
          [change.written],
        );
        assert.equal(rows.length, 0);
      });

  // Before its commit, the save ends and loosens links at identity.
  for (const [place, table, row] of [
    ['the provider', 'sso.provider', 'id'],
    ['a link at identity', 'identity.identity_link', 'provider'],
  ] as const)
    test(`a save of another issuer that waits for ${place} ends no link once its right has ended`, async () => {
      const deputy = await newDeputy();
      const saved = await provider(`issuer-${row}`);
      const link = await newIdentity(stack, owner.id, tenant, 'confirmed');
      await rowsOf(stack, 'update identity.identity_link set provider = $1 where provider = $2', [
        saved.id,
        link,
      ]);
      const { Provider } = saved.body as { Provider: object };
      const body = { Provider: { ...Provider, Issuer: `${stack.inboxUrl}/hooks/other` } };
      await assertRefusedLate({ ...saved, table, row, body }, deputy, () => removeGrant(deputy));
      assert.deepEqual(
        await rowsOf(stack, 'select trust from identity.identity_link where provider = $1', [
          saved.id,
        ]),
        [{ trust: 'confirmed' }],
      );
    });

  test('a deletion of a user that waits at access announces nothing once its right has ended', async () => {
    const deputy = await newDeputy();
    await rowsOf(
      stack,
      `insert into access.subject_state (subject, state, since, changed_at) values ($1, 'active', now(), now())`,
      [deputy.id],
    );
    const change = {
      table: 'access.subject_state',
      id: deputy.id,
      row: 'subject',
      operation: 'Users_Delete',
      body: { UserID: deputy.id },
    };
    await assertRefusedLate(change, deputy, () => endSessions(deputy));
    assert.deepEqual(
      await rowsOf(stack, 'select state from access.subject_state where subject = $1', [deputy.id]),
      [{ state: 'active' }],
    );
  });
});
