import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { describeOne } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { type Decisions, startDecisions } from './access-calls.ts';

// The OpenID AuthZEN Authorization API 1.0.

describeOne('AuthZEN', 'one process', (topology) => {
  let suite: Decisions;
  let key: string;
  before(async () => {
    suite = await startDecisions(topology);
    key = await keyOf(suite.Tenant, suite.owner.token);
  });
  after(() => suite?.stop());

  /** The key of a new bot that may ask about others. */
  async function keyOf(Tenant: string, token: string): Promise<string> {
    const { stack } = suite;
    const bot = await createBot(stack, Tenant, token);
    const Grant = { Tenant, Bot: bot.ID, Role: 'auditor' };
    bodyOf(await stack.call('BotGrants_Add', { Grant }, token));
    return (await createKey(stack, bot, token)).Secret;
  }

  const ask = (
    endpoint: string,
    body: unknown,
    token: string | undefined = key,
    headers: Record<string, string> = {},
  ) => suite.stack.call(`access/v1/${endpoint}`, body, token, headers);

  const question = (name: string, resource: object = { type: 'tenant', id: suite.Tenant }) => ({
    subject: { type: 'user', id: suite.person.id },
    action: { name },
    resource,
  });
  const resource = (id: string) => ({
    type: 'resource',
    id,
    properties: { tenant: suite.Tenant },
  });

  test('an evaluation permits and denies with 200, as Access_Check does', async () => {
    const decide = async (body: object, token?: string) =>
      bodyOf(await ask('evaluation', body, token));
    assert.deepEqual(await decide(question('app.notes.write')), { decision: true });
    assert.deepEqual(await decide(question('app.reports.read')), { decision: false });
    assert.deepEqual(await decide(question('app.reports.read', resource('report-7'))), {
      decision: true,
    });
    assert.deepEqual(await decide(question('app.reports.read', resource('report-8'))), {
      decision: false,
    });
    const { token } = suite.person;
    assert.deepEqual(await decide(question('app.notes.write'), token), { decision: true });
    // A user without the right to ask about others asks about itself.
    const { subject } = question('');
    assertRefused(
      await ask(
        'evaluation',
        { ...question('app.notes.write'), subject: { ...subject, id: suite.owner.id } },
        token,
      ),
      403,
      'permission_denied',
    );
  });

  test('a grant on type:id permits on the resource of that type and id only', async () => {
    const { Tenant, person, ask: call } = suite;
    const Grant = { Tenant, UserID: person.id, Role: 'reader', Resource: 'report:9' };
    bodyOf(await call('Grants_Add', { Grant }));
    const decide = async (type: string, id: string) =>
      bodyOf(
        await ask('evaluation', {
          ...question('app.reports.read', { type, id }),
          context: { tenant: Tenant },
        }),
      )['decision'];
    assert.equal(await decide('report', '9'), true);
    assert.equal(await decide('resource', 'report:9'), true);
    assert.equal(await decide('invoice', '9'), false);
    assert.equal(await decide('resource', '9'), false);
  });

  test('unknown subjects and those of other tenants get the same denial', async () => {
    const { stack } = suite;
    const stranger = await signUp(stack);
    for (const id of [stranger.id, createId('usr')]) {
      const body = { ...question('app.notes.write'), subject: { type: 'user', id } };
      assert.deepEqual(bodyOf(await ask('evaluation', body)), { decision: false });
    }
    const bot = { ...question('app.notes.write'), subject: { type: 'bot', id: createId('bot') } };
    assert.deepEqual(bodyOf(await ask('evaluation', bot)), { decision: false });
  });

  test('a caller of another tenant asks in its own only, and learns of no other', async () => {
    const { stack, other, Tenant } = suite;
    const foreign = await createTenant(stack, other.token);
    const foreignKey = await keyOf(foreign, other.token);
    for (const id of [Tenant, createId('tnt')]) {
      const body = question('app.notes.write', { type: 'tenant', id });
      assertRefused(await ask('evaluation', body, foreignKey), 403, 'permission_denied', [
        'permission denied',
      ]);
      for (const search of ['search/action', 'search/subject'])
        assertRefused(await ask(search, body, foreignKey), 403, 'permission_denied');
    }
    // The other evaluations of a request are still answered.
    const { token } = other;
    const evaluations = [
      { resource: { type: 'tenant', id: Tenant }, subject: { type: 'user', id: suite.owner.id } },
      { resource: { type: 'tenant', id: foreign }, subject: { type: 'user', id: other.id } },
    ];
    const action = { name: 'iam.tenant.read' };
    assert.deepEqual(bodyOf(await ask('evaluations', { action, evaluations }, token)), {
      evaluations: [
        { decision: false, context: { error: { status: 403, message: 'permission denied' } } },
        { decision: true },
      ],
    });
  });

  test('a revoked right is denied as soon as the revoking call is answered', async () => {
    const { Tenant, other, ask: call } = suite;
    const Grant = { Tenant, UserID: other.id, Role: 'editor' };
    const body = { ...question('app.notes.write'), subject: { type: 'user', id: other.id } };
    const several = { ...body, evaluations: [{}] };
    for (let round = 0; round < 3; round++) {
      bodyOf(await call('Grants_Add', { Grant }));
      assert.deepEqual(bodyOf(await ask('evaluation', body)), { decision: true });
      bodyOf(await call('Grants_Remove', { Grant }));
      assert.deepEqual(bodyOf(await ask('evaluation', body)), { decision: false });
      assert.deepEqual(bodyOf(await ask('evaluations', several)), {
        evaluations: [{ decision: false }],
      });
    }
  });

  test('evaluations have defaults, and end where their semantic says', async () => {
    const evaluations = ['app.notes.read', 'app.reports.read', 'app.notes.write'].map((name) => ({
      action: { name },
    }));
    const decide = async (options?: object) => {
      const body = { ...question('app.other.read'), evaluations, options };
      const answer = bodyOf(await ask('evaluations', body));
      assert.deepEqual(Object.keys(answer), ['evaluations']);
      return (answer['evaluations'] as Array<{ decision: boolean }>).map(
        ({ decision }) => decision,
      );
    };
    const semantic = (evaluations_semantic: string) => decide({ evaluations_semantic });
    assert.deepEqual(await decide(), [true, false, true]);
    assert.deepEqual(await semantic('execute_all'), [true, false, true]);
    assert.deepEqual(await semantic('deny_on_first_deny'), [true, false]);
    assert.deepEqual(await semantic('permit_on_first_permit'), [true]);
  });

  test('evaluations of several subjects are answered in their order', async () => {
    const { person, other, owner } = suite;
    const subjects = [person, other, person, owner, other, person].map(({ id }, index) => ({
      subject: { type: 'user', id },
      context: index === 2 ? { explain: true } : {},
    }));
    const body = { ...question('app.notes.write'), evaluations: subjects };
    const { evaluations } = bodyOf(await ask('evaluations', body)) as {
      evaluations: Array<{ decision: boolean; context?: { Paths: unknown[] } }>;
    };
    assert.deepEqual(
      evaluations.map(({ decision }) => decision),
      [true, false, true, false, false, true],
    );
    assert.deepEqual(
      evaluations.map(({ context }) => context?.Paths.length),
      [undefined, undefined, 1, undefined, undefined, undefined],
    );
  });

  test('a request without evaluations is a single one, 50 are answered, and 51 are refused', async () => {
    const body = question('app.notes.write');
    for (const evaluations of [undefined, []])
      assert.deepEqual(bodyOf(await ask('evaluations', { ...body, evaluations })), {
        decision: true,
      });
    const of = (length: number) => ({ ...body, evaluations: Array.from({ length }, () => ({})) });
    const { evaluations } = bodyOf(await ask('evaluations', of(50)));
    assert.deepEqual(
      evaluations,
      Array.from({ length: 50 }, () => ({ decision: true })),
    );
    assertRefused(await ask('evaluations', of(51)), 400, 'invalid_argument', [
      'evaluations must have at most 50 entries',
    ]);
  });

  test('context.explain returns Paths and Missing of Access_Explain', async () => {
    const context = { explain: true };
    const { decision, context: why } = bodyOf(
      await ask('evaluation', { ...question('app.notes.write'), context }),
    );
    assert.equal(decision, true);
    const { Paths, Missing } = await suite.explain('app.notes.write');
    assert.deepEqual(why, { Paths, Missing });
    assert.equal(Paths.length, 1);
    assert.deepEqual(bodyOf(await ask('evaluation', { ...question('app.x.read'), context })), {
      decision: false,
      context: { Paths: [], Missing: ['no granted role has the permission app.x.read'] },
    });
  });

  test('a search for actions lists what an evaluation permits', async () => {
    const { subject } = question('');
    const { results } = bodyOf(
      await ask('search/action', { subject, resource: resource('report-7') }),
    ) as { results: Array<{ name: string }> };
    const names = results.map(({ name }) => name);
    assert.ok(names.includes('app.notes.*') && names.includes('app.reports.read'), String(names));
    const evaluations = names.map((name) => ({ action: { name } }));
    const answer = bodyOf(
      await ask('evaluations', { ...question('', resource('report-7')), evaluations }),
    );
    assert.deepEqual(
      answer['evaluations'],
      names.map(() => ({ decision: true })),
    );
  });

  test('a malformed request is refused with every problem, in AuthZEN’s terms', async () => {
    assertRefused(await ask('evaluation', question('can_read')), 400, 'invalid_argument', [
      'action.name must be a permission such as app.reports.read, "*" only as the last segment',
    ]);
    const evaluations = [{}, { action: { name: 'can_read' } }];
    assertRefused(
      await ask('evaluations', { ...question('app.notes.read'), evaluations }),
      400,
      'invalid_argument',
      [
        'evaluations[1].action.name must be a permission such as app.reports.read, "*" only as the last segment',
      ],
    );
    const long = question('app.notes.read', resource('x'.repeat(257)));
    for (const endpoint of ['evaluation', 'search/action'])
      assertRefused(await ask(endpoint, long), 400, 'invalid_argument', [
        'resource must be at most 256 characters',
      ]);
    for (const body of ['', '[]', '{"subject":', 'null'])
      assertRefused(await ask('evaluation', body), 400, 'invalid_argument');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    assertRefused(await ask('evaluation', 'a=b', key, form), 400, 'invalid_argument', [
      'Content-Type must be application/json',
    ]);
  });

  test('a caller without a valid credential is refused, whatever the request says', async () => {
    for (const token of ['', 'x', `${key}x`])
      for (const endpoint of ['evaluation', 'evaluations', 'search/action', 'search/subject']) {
        const answer = await ask(endpoint, {}, token);
        assertRefused(answer, 401, 'unauthenticated');
        assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
      }
  });

  test('the request’s X-Request-ID is in the response, and the RequestID of an error is ours', async () => {
    const id = { 'x-request-id': 'pep 7' };
    const permitted = await ask('evaluation', question('app.notes.write'), key, id);
    assert.equal(permitted.headers.get('x-request-id'), 'pep 7');
    const refused = await ask('evaluation', {}, key, id);
    assert.equal(refused.headers.get('x-request-id'), 'pep 7');
    assert.match(String(refused.body['RequestID']), /^[0-9a-f-]{36}$/);
    const other = await ask('evaluation', question('app.notes.write'));
    assert.match(other.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  });

  test('the metadata names the endpoints that exist', async () => {
    const { url } = suite.stack;
    const response = await fetch(`${url}/.well-known/authzen-configuration`);
    assert.match(response.headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
    assert.deepEqual(await response.json(), {
      policy_decision_point: url,
      access_evaluation_endpoint: `${url}/access/v1/evaluation`,
      access_evaluations_endpoint: `${url}/access/v1/evaluations`,
      search_subject_endpoint: `${url}/access/v1/search/subject`,
      search_action_endpoint: `${url}/access/v1/search/action`,
    });
    assert.equal((await ask('search/resource', question('app.notes.read'))).status, 404);
    const read = await fetch(`${url}/access/v1/evaluation`);
    assert.equal(read.status, 405);
    assert.equal(read.headers.get('allow'), 'POST');
  });
});
