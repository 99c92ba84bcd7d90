import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { claim, type Domain, newName } from '../../support/domains.ts';
import { describeBoth } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { addRole, type Domains, startDomains } from './domain-calls.ts';

describeBoth('the roles that domains give', (topology) => {
  let suite: Domains;
  before(async () => {
    suite = await startDomains(topology);
  });
  after(() => suite?.stop());

  /**
   * Signs up a member who manages domains and reads the tenant, and has no other rights. Returns
   * the token.
   */
  async function domainManagerOf(Tenant: string): Promise<string> {
    const { stack, token } = suite;
    const manager = await signUp(stack);
    await addRole(stack, Tenant, token, {
      Slug: 'domain-manager',
      Permissions: [
        'iam.domains.read',
        'iam.domains.write',
        'iam.tenant.read',
        'iam.users.read',
        'iam.groups.read',
        'iam.roles.read',
      ],
    });
    bodyOf(
      await stack.call('TenantMembers_Add', { Tenant, UserID: manager.id }, stack.platformKey),
    );
    bodyOf(
      await stack.call(
        'Grants_Add',
        { Grant: { Tenant, UserID: manager.id, Role: 'domain-manager' } },
        token,
      ),
    );
    return manager.token;
  }

  test('Domain_Create and Domain_Update grant no more than the caller holds: by the role, by opening a domain whose role another caller set, or with a narrowed key', async () => {
    const { stack, token, newTenant } = suite;
    const Tenant = await newTenant();
    const manager = await domainManagerOf(Tenant);
    const create = (fields: object, by = manager) =>
      stack.call('Domain_Create', { Tenant, Name: newName(), ...fields }, by);
    for (const Capture of ['off', 'join'])
      assertRefused(await create({ Capture, DefaultRole: 'admin' }), 403, 'permission_denied');
    const plain = recordIn(
      await create({ Capture: 'join', DefaultRole: 'member' }),
      'Domain',
    ) as Domain;
    const update = (domain: Domain, fields: object, by = manager) =>
      stack.call('Domain_Update', { Tenant, ID: domain.ID, ...fields }, by);
    assertRefused(await update(plain, { DefaultRole: 'admin' }), 403, 'permission_denied');
    const prepared = await claim(stack, Tenant, token, { Capture: 'off', DefaultRole: 'admin' });
    for (const Capture of ['suggest', 'join'])
      assertRefused(await update(prepared, { Capture }), 403, 'permission_denied');
    assert.equal(
      (
        recordIn(
          await update(prepared, { Capture: 'join', DefaultRole: 'member' }),
          'Domain',
        ) as Domain
      ).DefaultRole,
      'member',
    );
    const bot = await createBot(stack, Tenant, token);
    bodyOf(
      await stack.call('BotGrants_Add', { Grant: { Tenant, Bot: bot.ID, Role: 'admin' } }, token),
    );
    const narrowed = (await createKey(stack, bot, token, { Permissions: ['iam.domains.write'] }))
      .Secret;
    assert.equal((await create({}, narrowed)).status, 200);
    for (const fields of [{ Capture: 'join' }, { DefaultRole: 'member' }])
      assertRefused(await create(fields, narrowed), 403, 'permission_denied');
    assert.equal(
      (
        await create(
          { Capture: 'join', DefaultRole: 'admin' },
          (
            await createKey(stack, bot, token)
          ).Secret,
        )
      ).status,
      200,
    );
    const { items } = await readList<Domain>(stack, 'Domain_List', { Tenant }, token);
    assert.deepEqual(
      items.map(({ DefaultRole }) => DefaultRole),
      ['member', 'member', '', 'admin'],
    );
  });

  test('a missing role, or one of another tenant, is not_found', async () => {
    const { stack, token, newTenant } = suite;
    const [Tenant, other] = [await newTenant(), await newTenant()];
    await addRole(stack, other, token, { Slug: 'theirs', Permissions: ['app.read'] });
    for (const DefaultRole of ['nothing', 'theirs', 'platform-owner']) {
      assertRefused(
        await stack.call('Domain_Create', { Tenant, Name: newName(), DefaultRole }, token),
        400,
        'not_found',
      );
    }
    assert.equal(await countOf(stack, 'sso.domain where tenant = $1', [Tenant]), 0);
  });

  test('two Domain_Update calls at once, one that opens the domain and one that sets a richer role, are checked against each other', async () => {
    const { stack, token, newTenant } = suite;
    const Tenant = await newTenant();
    const manager = await domainManagerOf(Tenant);
    for (let round = 0; round < 8; round++) {
      const domain = await claim(stack, Tenant, token);
      const update = (fields: object, by: string) =>
        stack.call('Domain_Update', { Tenant, ID: domain.ID, ...fields }, by);
      const [opened] = await Promise.all([
        update({ Capture: 'join' }, manager),
        update({ DefaultRole: 'admin' }, token),
      ]);
      const now = recordIn(
        await stack.call('Domain_Get', { Tenant, ID: domain.ID }, token),
        'Domain',
      ) as Domain;
      // If both are in effect, the manager opened the domain before the role was set, and the owner
      // who set the role knew that it was open.
      const ended = await rowsOf<{ previous: string }>(
        stack,
        `select event::jsonb ->> 'previous' as previous from sso.outbox where event like $1 and type = 'domain.updated' order by id`,
        [`%${domain.ID}%`],
      );
      if (now.Capture === 'join' && now.DefaultRole === 'admin')
        assert.ok(opened?.status === 200 && ended[0]?.previous.includes('Capture'));
      else assert.equal(ended.length, 1);
      bodyOf(await stack.call('Domain_Delete', { Tenant, ID: domain.ID }, token));
    }
  });
});
