import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { dumpOf, rowsOf } from '../../support/store.ts';
import { changed, type PortalStage, startPortal } from './portal-calls.ts';

describeOne('links to the receivers’ portal', 'one process', (topology) => {
  let on: PortalStage;
  let id: string;
  before(async () => {
    on = await startPortal(topology);
    id = await on.endpoint(`${on.stack.inboxUrl}/hooks/portal`);
  });
  after(() => on?.stack.stop());

  test('WebhookPortals_Create needs iam.webhooks.write and an endpoint of the tenant, and returns the link once', async () => {
    const [reader, stranger] = [await signUp(on.stack), await signUp(on.stack)];
    const foreign = await tenantFor(on.stack, stranger.id);
    bodyOf(
      await on.call(
        'TenantMembers_Add',
        { Tenant: on.tenant, UserID: reader.id },
        on.stack.platformKey,
      ),
    );
    const Grant = { Tenant: on.tenant, UserID: reader.id, Role: 'auditor' };
    bodyOf(await on.call('Grants_Add', { Grant }, on.owner.token));
    for (const { token } of [reader, stranger])
      assertRefused(await on.create(id, {}, token), 403, 'permission_denied');
    assertRefused(await on.create(id, { Tenant: foreign }, stranger.token), 400, 'not_found');
    for (const wrong of [
      { Name: ' ' },
      { Abilities: ['read'] },
      { Abilities: ['test', 'test'] },
      { ExpiresInMinutes: 0 },
      { ExpiresInMinutes: 129_601 },
      { Endpoint: 'whk_0' },
    ])
      assertRefused(await on.create(id, wrong), 400, 'invalid_argument');
    const { portal, secret } = await on.linkTo(id, { Abilities: ['test'], ExpiresInMinutes: 5 });
    const minutes = (Date.parse(portal.ExpiresAt) - Date.now()) / 60_000;
    assert.ok(minutes > 4.5 && minutes <= 5, portal.ExpiresAt);
    const listed = await on.call(
      'WebhookPortals_List',
      { Tenant: on.tenant, Endpoint: id },
      reader.token,
    );
    assert.match(JSON.stringify(bodyOf(listed)), new RegExp(portal.ID));
    assert.doesNotMatch(JSON.stringify(listed.body), /bwk[a-z]_/);
    const { token } = bodyOf(await on.open(secret)) as { token?: string; Token: string };
    assert.equal(token, undefined);
    const stored = await dumpOf(on.stack, 'notifications');
    assert.ok(!stored.includes(secret), 'the link is stored as a hash');
  });

  test('a link needs the right to read too, of its creator and of the key, and no grant of a bot on the platform', async () => {
    const bot = await createBot(on.stack, on.tenant, on.owner.token, { Name: 'narrow' });
    const Grant = { Tenant: on.tenant, Bot: bot.ID, Role: 'admin' };
    bodyOf(await on.call('BotGrants_Add', { Grant }, on.owner.token));
    const key = (Permissions: string[]) =>
      createKey(on.stack, bot, on.owner.token, { Permissions }).then(({ Secret }) => Secret);
    const writes = await key(['iam.webhooks.write']);
    assertRefused(await on.create(id, {}, writes), 403, 'permission_denied');
    const { token } = await on.session(id, {}, await key(['iam.webhooks.*']));
    assert.equal(await on.isOpen(token), true);
    const Role = { Tenant: on.tenant, Slug: 'writer', Permissions: ['iam.webhooks.write'] };
    bodyOf(await on.call('Roles_Save', { Role }, on.owner.token));
    bodyOf(await on.call('BotGrants_Add', { Grant: { ...Grant, Role: 'writer' } }, on.owner.token));
    bodyOf(await on.call('BotGrants_Remove', { Grant }, on.owner.token));
    assert.equal(await on.isOpen(token), false, 'its creator may write, and no longer read');

    const stranger = await signUp(on.stack);
    const foreign = await tenantFor(on.stack, stranger.id);
    const operator = await createBot(on.stack, foreign, stranger.token, { Name: 'operator' });
    const Everywhere = { Platform: true, Bot: operator.ID, Role: 'platform-owner' };
    bodyOf(await on.call('BotGrants_Add', { Grant: Everywhere }, on.stack.platformKey));
    const { Secret } = await createKey(on.stack, operator, on.stack.platformKey);
    const listed = { Tenant: on.tenant, Endpoint: id };
    bodyOf(await on.call('WebhookPortals_List', listed, Secret));
    assertRefused(await on.create(id, {}, Secret), 403, 'permission_denied');
  });

  test('an endpoint has at most 20 links, of 30 created at once', async () => {
    const own = await on.endpoint(`${on.stack.inboxUrl}/hooks/many`);
    const answers = await Promise.all(Array.from({ length: 30 }, () => on.create(own)));
    assert.equal(answers.filter(({ status: code }) => code === 200).length, 20);
    for (const answer of answers.filter(({ status: code }) => code !== 200))
      assertRefused(answer, 400, 'failed_precondition', ['an endpoint has at most 20 links']);
  });

  test('a link that is opened again ends its earlier session, and of 25 openings at once one session works', async () => {
    const { token, secret } = await on.session(id);
    const next = String(bodyOf(await on.open(secret))['Token']);
    assert.deepEqual([await on.isOpen(token), await on.isOpen(next)], [false, true]);
    const answers = await Promise.all(Array.from({ length: 25 }, () => on.open(secret)));
    const open = await Promise.all(
      answers.map((answer) => on.isOpen(String(bodyOf(answer)['Token']))),
    );
    assert.equal(open.filter(Boolean).length, 1);
    assert.equal(await on.isOpen(next), false);
  });

  test('a link opens at most 30 times an hour, of 60 openings at once', async () => {
    const { secret } = await on.linkTo(id);
    const answers = await Promise.all(Array.from({ length: 60 }, () => on.open(secret)));
    const codes = answers.map(({ status: code }) => code);
    assert.equal(codes.filter((code) => code === 200).length, 30);
    assert.ok(codes.every((code) => code === 200 || code === 429));
  });

  test('a link that has expired, was deleted or was never issued opens nothing, even before it is swept', async () => {
    const [late, deleted] = [await on.session(id), await on.session(id)];
    await rowsOf(
      on.stack,
      "update notifications.webhook_portal set expires_at = now() + interval '1 second', session_expires_at = now() + interval '1 second' where id = $1",
      [late.portal.ID],
    );
    await eventually('the end of the link', async () => !(await on.isOpen(late.token)));
    const where = { Tenant: on.tenant, ID: deleted.portal.ID };
    for (const _ of [1, 2]) bodyOf(await on.call('WebhookPortals_Delete', where, on.owner.token));
    assert.equal(await on.isOpen(deleted.token), false);
    for (const token of [
      late.secret,
      deleted.secret,
      deleted.token,
      changed(deleted.secret),
      'bwko_x',
      'x',
    ])
      assertRefused(await on.open(token), 400, 'failed_precondition', [
        'the token is no longer valid',
      ]);
  });

  test('WebhookPortals_Delete ends no link of another tenant', async () => {
    const { token, portal } = await on.session(id);
    const stranger = await signUp(on.stack);
    const foreign = await tenantFor(on.stack, stranger.id);
    bodyOf(
      await on.call('WebhookPortals_Delete', { Tenant: foreign, ID: portal.ID }, stranger.token),
    );
    assert.equal(await on.isOpen(token), true);
  });

  test('Portal_Close ends the session, and the link opens another one', async () => {
    const { token, secret } = await on.session(id);
    bodyOf(await on.call('Portal_Close', {}, token));
    assert.equal(await on.isOpen(token), false);
    assert.equal(await on.isOpen(String(bodyOf(await on.open(secret))['Token'])), true);
  });

  test('a session lasts an hour, and no longer than its link', async () => {
    const ends = async (more: object) => {
      const { secret } = await on.linkTo(id, more);
      const { ExpiresAt } = bodyOf(await on.open(secret));
      return (Date.parse(String(ExpiresAt)) - Date.now()) / 60_000;
    };
    const [long, short] = [await ends({}), await ends({ ExpiresInMinutes: 3 })];
    assert.ok(long > 59 && long <= 60, String(long));
    assert.ok(short > 2 && short <= 3, String(short));
  });

  test('a link of a bot works while the bot holds the right', async () => {
    const bot = await createBot(on.stack, on.tenant, on.owner.token, { Name: 'portals' });
    const Grant = { Tenant: on.tenant, Bot: bot.ID, Role: 'admin' };
    bodyOf(await on.call('BotGrants_Add', { Grant }, on.owner.token));
    const key = await createKey(on.stack, bot, on.owner.token);
    const { token } = await on.session(id, {}, key.Secret);
    assert.equal(await on.isOpen(token), true);
    bodyOf(await on.call('BotGrants_Remove', { Grant }, on.owner.token));
    assert.equal(await on.isOpen(token), false);
  });
});
