import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { createClient } from '@bailiwick/client/client.ts';
import { operations, positionHeader } from '@bailiwick/contract';
import { openForPurpose, parseKeyRing, sealForPurpose } from '@bailiwick/keys';
import { bodyOf } from './support/answers.ts';
import { createTestDatabase } from './support/database.ts';
import { type Answer, describeAll, eventually, type Stack, startStack } from './support/harness.ts';
import { login, newAddress, ownedBy, signUp } from './support/people.ts';
import { type Standby, startStandby } from './support/standby.ts';

// Takes a minute: each topology has two servers of PostgreSQL and a start of the product.

type Person = Awaited<ReturnType<typeof signUp>>;

const services = ['IDENTITY', 'ACCESS', 'SSO', 'NOTIFICATIONS'];

const positionIn = ({ headers }: Answer): string =>
  headers.get(positionHeader) ?? assert.fail('the answer has no position');

describeAll('lists from a replica', (topology) => {
  let standby: Standby;
  let stack: Stack;
  let owner: Person;
  let Tenant: string;
  before(async () => {
    const database = await createTestDatabase({ ownServer: true });
    standby = await startStandby(database);
    const urls = services.map((service) => [`BAILIWICK_${service}_DATABASE_READ_URL`, standby.url]);
    stack = await startStack(topology, Object.fromEntries(urls), { database });
    owner = await signUp(stack);
    Tenant = await ownedBy(stack, owner);
  });
  after(async () => {
    await stack?.stop();
    await standby?.stop();
  });

  const save = async (Path: string): Promise<Answer> => {
    const answer = await stack.call('Groups_Save', { Group: { Tenant, Path } }, owner.token);
    bodyOf(answer);
    return answer;
  };
  /** The paths of all groups, as a call with these positions sees them. */
  async function paths(positions?: string): Promise<string[]> {
    const headers = positions === undefined ? undefined : { [positionHeader]: positions };
    const request = { Tenant, Page: { Limit: 200 } };
    const { Page } = bodyOf(await stack.call('Groups_List', request, owner.token, headers));
    return (Page as { Items: Array<{ Path: string }> }).Items.map(({ Path }) => Path);
  }
  /** The statements of lists that the replica has run. */
  const lists = (): string[] => standby.statements().filter((name) => !name.startsWith('shared.'));
  /** Runs `work` while the replica replays nothing, at a position that it has. */
  async function whilePaused(Path: string, work: (position: string) => Promise<void>) {
    const position = positionIn(await save(Path));
    await standby.caughtUp();
    await standby.pause();
    try {
      await work(position);
    } finally {
      await standby.resume();
    }
  }

  test('the replica answers a list that names a position which it has, and no other', async () => {
    await whilePaused('before', async (position) => {
      await save('behind');
      const seen = await paths(position);
      assert.ok(seen.includes('before') && !seen.includes('behind'), seen.join());
      assert.ok((await paths()).includes('behind'), 'without a position the primary answers');
    });
  });

  test('the members of a group that another caller has just created are found', async () => {
    await whilePaused('others', async (position) => {
      await save('new');
      bodyOf(
        await stack.call(
          'Groups_AddMember',
          { Tenant, Group: 'new', UserID: owner.id },
          owner.token,
        ),
      );
      const headers = { [positionHeader]: position };
      const { Page } = bodyOf(
        await stack.call('Groups_ListMembers', { Tenant, Group: 'new' }, owner.token, headers),
      );
      assert.deepEqual((Page as { Items: string[] }).Items, [owner.id]);
    });
  });

  test('a caller sees its own change at once, with the positions of all changes that ran together', async () => {
    await whilePaused('known', async (position) => {
      const [one, other] = await Promise.all([save('own-1'), save('own-2')]);
      for (const positions of [positionIn(one), `${positionIn(other)},${position}`]) {
        const seen = await paths(positions);
        assert.ok(seen.includes('known') && seen.includes('own-1'), seen.join());
      }
    });
  });

  test('forged, foreign and future positions are answered by the primary without an error', async () => {
    const ring = parseKeyRing(readFileSync(stack.wiring.secrets.keyRingFile, 'utf8'));
    const sealed = (text: string) => sealForPurpose(ring, 'position', text, []);
    await whilePaused('genuine', async (position) => {
      await save('unseen');
      const [server = ''] = openForPurpose(ring, 'position', position, []).split(' ');
      const middle = position.length - 12;
      const changed = position[middle] === 'A' ? 'B' : 'A';
      const forged = [
        '',
        'x',
        '0/16B3748',
        `${position.slice(0, middle)}${changed}${position.slice(middle + 1)}`,
        `${position},x`,
        `${position},${sealed('1 1')}`,
        Array.from({ length: 17 }, () => position).join(','),
        'x'.repeat(2000),
        sealed(`${server} ${2n ** 64n}`),
        sealed(`${server} nonsense`),
        sealed('1 1'),
      ];
      for (const text of forged) {
        const began = performance.now();
        const seen = await paths(text);
        assert.ok(seen.includes('unseen'), text);
        assert.ok(performance.now() - began < 2000, `${text} was waited for`);
      }
    });
  });

  test('every other operation is answered by the primary, also with a position', async () => {
    const UserID = owner.id;
    const requests: Record<string, object> = {
      Access_Check: { Tenant, Subject: UserID, Permission: 'iam.groups.read' },
      Access_Explain: { Tenant, Subject: UserID, Permission: 'iam.groups.read' },
      Access_ListPermissions: { Tenant, Subject: UserID },
      Account_Get: {},
      Audit_Verify: { Tenant },
      Factors_List: {},
      Grants_List: { UserID },
      Groups_Get: { Tenant, Path: 'before' },
      Passkeys_List: {},
      Roles_Get: { Tenant, Slug: 'owner' },
      Sessions_List: {},
      Tenants_Get: { Tenant },
      Tenants_ListMine: {},
      Users_Get: { UserID },
      Webhooks_ListEndpoints: { Tenant },
    };
    const position = positionIn(await save('last'));
    await standby.caughtUp();
    const headers = { [positionHeader]: position };
    const before = standby.statements().length;
    for (const [name, request] of Object.entries(requests)) {
      assert.equal(operations.get(name)?.fromReplica, false, name);
      bodyOf(await stack.call(name, request, owner.token, headers));
    }
    assert.deepEqual(standby.statements().slice(before), []);
    await paths(position);
    assert.ok(standby.statements().includes('access.groups_of_tenant'), 'a list is in this log');
  });

  test('a change returns a position, and a read, a sign-in, a sign-out and a refusal none', async () => {
    const read = await stack.call('Groups_List', { Tenant }, owner.token);
    const refused = await stack.call('Groups_Save', { Group: { Tenant } }, owner.token);
    const signedIn = await login(stack, owner.email);
    const { Token } = bodyOf(signedIn);
    const signedOut = await stack.call('Account_Logout', {}, String(Token));
    assert.deepEqual([refused.status, signedOut.status], [400, 200]);
    for (const { headers } of [read, refused, signedIn, signedOut])
      assert.equal(headers.get(positionHeader), null);
    positionIn(await save('with-position'));
  });

  test('the client sends what its changes returned', async () => {
    const client = createClient({ url: stack.url, token: owner.token });
    await client.call('Groups_Save', { Group: { Tenant, Path: 'of-client', Name: '' } });
    await standby.caughtUp();
    await whilePaused('paused', async () => {
      const before = standby.statements().length;
      const { Page } = await client.call('Groups_List', { Tenant });
      assert.ok(Page.Items.some(({ Path }) => Path === 'of-client'));
      assert.ok(standby.statements().slice(before).includes('access.groups_of_tenant'));
      await client.call('Groups_Save', { Group: { Tenant, Path: 'newer', Name: '' } });
      const next = await client.call('Groups_List', { Tenant });
      assert.ok(next.Page.Items.some(({ Path }) => Path === 'newer'));
    });
  });

  /** Gives the lists of the tenant a row each. */
  async function fill() {
    const call = async (name: string, request: object) =>
      bodyOf(await stack.call(name, request, owner.token));
    const Group = 'filled';
    await save(Group);
    await call('Groups_AddMember', { Tenant, Group, UserID: owner.id });
    const Role = { Tenant, Slug: 'reader', Name: 'Reader', Permissions: ['iam.groups.read'] };
    await call('Roles_Save', { Role });
    await call('Grants_Add', { Grant: { Tenant, UserID: owner.id, Role: 'reader' } });
    await call('GroupGrants_Add', { Grant: { Tenant, Group, Role: 'reader' } });
    const { Bot } = await call('Bots_Save', { Bot: { Tenant, Name: 'deployer' } });
    const { ID } = Bot as { ID: string };
    await call('BotGrants_Add', { Grant: { Tenant, Bot: ID, Role: 'reader' } });
    await call('Apps_Save', { App: { Tenant, Kind: 'service', Name: 'a' } });
    await call('TenantInvitations_Create', { Tenant, Email: newAddress(), Groups: [Group] });
    return Group;
  }
  /** The lists that have no row in this test. */
  const empty = [
    'AppLogouts_ListAttempts',
    'Chat_ListAttempts',
    'Domain_List',
    'Webhooks_ListAttempts',
  ];

  test('every list and figure that is marked answers alike from the replica and the primary', async () => {
    const Group = await fill();
    const requests: Record<string, object> = {
      AppLogouts_ListAttempts: { Tenant },
      Apps_List: { Tenant },
      Audit_List: { Tenant, Filter: { Actions: ['group.created'] } },
      BotGrants_ListByTenant: { Tenant },
      Bots_GetCounts: { Tenant },
      Bots_List: { Tenant },
      Chat_GetStats: { Tenant },
      Chat_ListAttempts: { Tenant },
      Domain_List: { Tenant },
      Grants_ListByTenant: { Tenant },
      GroupGrants_ListByTenant: { Tenant },
      Groups_List: { Tenant, Query: Group },
      Groups_ListByTenant: { Tenant },
      Groups_ListMembers: { Tenant, Group },
      Roles_List: { Tenant },
      Roles_ListByTenant: { Tenant },
      TenantInvitations_List: { Tenant },
      TenantMembers_List: { Tenant, WithNames: true },
      Tenants_GetCounts: { Tenant },
      Tenants_GetTotals: {},
      Tenants_List: {},
      Users_List: {},
      Webhooks_GetStats: { Tenant },
      Webhooks_ListAttempts: { Tenant },
    };
    const marked = [...operations.values()].filter(({ fromReplica }) => fromReplica);
    assert.deepEqual(Object.keys(requests), marked.map(({ name }) => name).toSorted());
    const position = positionIn(await save('compared'));
    for (const [name, request] of Object.entries(requests)) {
      // Background work may add an entry between the two calls.
      await eventually(`${name} to answer alike`, async () => {
        await standby.caughtUp();
        const before = lists().length;
        const headers = { [positionHeader]: position };
        const fromReplica = bodyOf(await stack.call(name, request, stack.platformKey, headers));
        if (lists().length === before) return false;
        const fromPrimary = bodyOf(await stack.call(name, request, stack.platformKey));
        const items = (fromPrimary['Page'] as { Items: unknown[] } | undefined)?.Items;
        if (items) assert.equal(items.length === 0, empty.includes(name), name);
        return JSON.stringify(fromReplica) === JSON.stringify(fromPrimary);
      });
    }
  });

  test('while the replica is away, lists are answered as before, and once it is back from it again', async () => {
    const position = positionIn(await save('away'));
    await standby.kill();
    for (let count = 0; count < 20; count++) assert.ok((await paths(position)).includes('away'));
    await standby.start();
    const before = lists().length;
    await eventually('the replica to be read again', async () => {
      await paths(positionIn(await save('back')));
      return lists().length > before;
    });
  });
});
