import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn } from '../../support/answers.ts';
import { type Bot, createBot } from '../../support/bots.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, eventsOf } from '../../support/store.ts';

type Person = Awaited<ReturnType<typeof signUp>>;
type Trust = { ID: string; Tenant: string; Bot: string; UpdatedAt: string };

const github = {
  Issuer: 'https://token.actions.githubusercontent.com',
  Audience: 'bailiwick',
  Subject: 'repo:acme/app:*',
  Claims: { repository_owner_id: '583231' },
};

describeOne('bot trusts', 'one process', (topology) => {
  let stack: Stack;
  let ada: Person;
  let bob: Person;
  before(async () => {
    stack = await sharedStack(topology);
    [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  });
  after(() => stack?.stop());

  const newBot = async (owner = ada): Promise<Bot> =>
    createBot(stack, await tenantFor(stack, owner.id), owner.token);
  const ofBot = ({ Tenant, ID }: Bot) => ({ Tenant, Bot: ID, ...github });
  const save = (Trust: object, rest: object = {}, token = ada.token) =>
    stack.call('BotTrusts_Save', { Trust, ...rest }, token);
  const saved = async (trust: object) => recordIn(await save(trust), 'Trust') as Trust;
  const read = (Tenant: string, ID: string, token = ada.token) =>
    stack.call('BotTrusts_Get', { Tenant, ID }, token);
  const trustEvents = async (Tenant: string) =>
    (await eventsOf(stack, 'identity', Tenant)).filter(({ type }) => type.startsWith('bot_trust.'));

  test('BotTrusts_Save creates and changes a trust, and an unchanged one makes no event', async () => {
    const bot = await newBot();
    const { Tenant } = bot;
    const trust = await saved({ ...ofBot(bot), CreatedBy: 'x', CreatedAt: 'never' });
    const { ID, UpdatedAt, ...rest } = trust;
    assert.match(ID, /^btr_[0-7][0-9a-z]{25}$/);
    assert.deepEqual(rest, {
      ...ofBot(bot),
      JWKS: '',
      CreatedBy: ada.id,
      CreatedAt: UpdatedAt,
    });
    assert.deepEqual(recordIn(await read(Tenant, ID), 'Trust'), trust);
    const { Claims: _kept, ...withoutClaims } = trust as Trust & { Claims: object };
    const changed = await saved({ ...withoutClaims, Subject: 'repo:acme/app:ref:refs/heads/main' });
    assert.deepEqual(changed, {
      ...trust,
      Subject: 'repo:acme/app:ref:refs/heads/main',
      UpdatedAt: changed.UpdatedAt,
    });
    assert.deepEqual(await saved(changed), changed);
    const request = { Tenant, Bot: bot.ID };
    const { items } = await readList(stack, 'BotTrusts_List', request, ada.token);
    assert.deepEqual(items, [changed]);
    for (let times = 0; times < 2; times++)
      bodyOf(await stack.call('BotTrusts_Delete', { Tenant, ID }, ada.token));
    assertRefused(await read(Tenant, ID), 400, 'not_found', ['bot trust not found']);
    assert.deepEqual(
      (await trustEvents(Tenant)).map(({ type, previous }) => [type, previous]),
      [
        ['bot_trust.created', {}],
        ['bot_trust.updated', { Subject: github.Subject }],
        ['bot_trust.deleted', {}],
      ],
    );
  });

  test('BotTrusts_Save refuses a trust that would match too much', async () => {
    const bot = await newBot();
    const wrong: object[] = [
      ...['*', '**', '*:app', 'repo:*/app', 'repo:acme/**', '', 'caf\u00e9'].map((Subject) => ({
        Subject,
      })),
      ...['http://token.example.com', 'https://token.example.com?a', 'https://a@b.example', ''].map(
        (Issuer) => ({ Issuer }),
      ),
      ...['', 'two words', '\u00e9'].map((Audience) => ({ Audience })),
      ...['*', 'a*b', ''].map((ref) => ({ Claims: { ref } })),
      ...['sub', 'aud', 'iss', 'exp'].map((name) => ({ Claims: { [name]: 'a' } })),
      { Claims: Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`c${index}`, 'a'])) },
      { Bot: '' },
    ];
    for (const fields of wrong)
      assertRefused(await save({ ...ofBot(bot), ...fields }), 400, 'invalid_argument');
    assert.deepEqual(await trustEvents(bot.Tenant), []);
  });

  test('a trust and its bot are not found from another tenant', async () => {
    const [bot, foreign] = [await newBot(), await newBot(bob)];
    const { ID } = await saved(ofBot(bot));
    const { Tenant } = foreign;
    const refusals = [
      await read(Tenant, ID, bob.token),
      await save({ ...ofBot(foreign), ID }, {}, bob.token),
      await save({ ...ofBot(bot), Tenant }, {}, bob.token),
      await save({ Tenant, ID, Subject: 'mine' }, {}, bob.token),
      await stack.call('BotTrusts_List', { Tenant, Bot: bot.ID }, bob.token),
    ];
    for (const answer of refusals) assertRefused(answer, 400, 'not_found');
    bodyOf(await stack.call('BotTrusts_Delete', { Tenant, ID }, bob.token));
    assertRefused(await read(bot.Tenant, ID, bob.token), 403, 'permission_denied');
    bodyOf(await read(bot.Tenant, ID));
    const other = await createBot(stack, bot.Tenant, ada.token);
    assertRefused(await save({ ...ofBot(other), ID }), 400, 'invalid_argument', [
      'Trust.Bot cannot be changed',
    ]);
  });

  test('a caller who lacks a permission of the bot may not say who acts as it', async () => {
    const bot = await newBot();
    const { Tenant } = bot;
    const { ID } = await saved(ofBot(bot));
    bodyOf(
      await stack.call(
        'BotGrants_Add',
        { Grant: { Tenant, Bot: bot.ID, Role: 'owner' } },
        ada.token,
      ),
    );
    const admin = await signUp(stack);
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: admin.id }, stack.platformKey));
    const Grant = { Tenant, UserID: admin.id, Role: 'admin' };
    bodyOf(await stack.call('Grants_Add', { Grant }, ada.token));
    const changes = [
      { ...ofBot(bot), ID, Subject: 'mine' },
      { Tenant, ID, Subject: 'mine' },
    ];
    for (const trust of [ofBot(bot), ...changes])
      assertRefused(await save(trust, {}, admin.token), 403, 'permission_denied', [
        'this would grant iam.*, which the caller does not hold',
      ]);
    await saved({ ...ofBot(bot), ID, Subject: 'ours' });
  });

  test('a bot has at most 20 trusts, even when created at once, and takes them with it', async () => {
    const bot = await newBot();
    const answers = await Promise.all(Array.from({ length: 24 }, () => save(ofBot(bot))));
    assert.equal(answers.filter(({ status }) => status === 200).length, 20);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', ['a bot has at most 20 trusts']);
    bodyOf(await stack.call('Bots_Delete', { Tenant: bot.Tenant, ID: bot.ID }, ada.token));
    assert.equal(await countOf(stack, 'identity.bot_trust where bot = $1', [bot.ID]), 0);
    assertRefused(await save(ofBot(bot)), 400, 'not_found', ['bot not found']);
  });

  test('BotTrusts_Save with IfUpdatedAt fails if the trust has changed since', async () => {
    const bot = await newBot();
    const trust = await saved(ofBot(bot));
    const IfUpdatedAt = trust.UpdatedAt;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        save({ ...trust, Subject: `job-${index}` }, { IfUpdatedAt }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', ['the bot trust was changed meanwhile']);
  });
});
