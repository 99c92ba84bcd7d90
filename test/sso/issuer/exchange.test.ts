import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { bodyOf, readList } from '../../support/answers.ts';
import { type Bot, createBot } from '../../support/bots.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { type Json, macToken, signToken, unsignedToken } from '../oidc/jwt.ts';
import {
  exchangeFor,
  githubJob,
  gitlabJob,
  newSigning,
  requestToken,
  saveTrust,
  type TokenAnswer,
  times,
  trustIn,
  typeOf,
  verified,
} from './keyless.ts';

type Entry = {
  Action: string;
  Changes: Array<{ Field: string; New: string }>;
  Result: string;
  ActorID: string;
  CredentialID: string;
  Targets: Array<{ Type: string; ID: string; Name: string }>;
};

const reasonOf = ({ Changes }: Entry): string =>
  Changes.find(({ Field }) => Field === 'Reason')?.New ?? '';

const unknownBot = 'bot_01jzzzzzzzzzzzzzzzzzzzzzzz';

describeOne('a bot without a key', 'one process', (topology) => {
  let stack: Stack;
  let ada: { id: string; token: string };
  let tenant: string;
  const issuer = newSigning();
  before(async () => {
    stack = await sharedStack(topology);
    ada = await signUp(stack);
    tenant = await tenantFor(stack, ada.id);
  });
  after(() => stack?.stop());

  /** A bot with a trust in exactly these claims, but for the given fields. */
  async function trusting(claims: Json, over: object = {}): Promise<Bot & { trust: string }> {
    const bot = await createBot(stack, tenant, ada.token);
    const Trust = { ...trustIn(bot, claims, issuer.jwks), ...over };
    return { ...bot, trust: await saveTrust(stack, Trust, ada.token) };
  }
  const exchange = (bot: string, token: string, over: Record<string, string> = {}) =>
    exchangeFor(stack, bot, token, over);
  const entriesOf = async (bot: string) =>
    (await readList<Entry>(stack, 'Audit_List', { Tenant: tenant }, ada.token)).items.filter(
      ({ Action, Targets }) => Action.startsWith('bot.token_') && Targets[0]?.ID === bot,
    );

  /** The answer for every token that is not accepted, whatever the reason. */
  async function refused(): Promise<Json> {
    const { status, body } = await exchange(unknownBot, issuer.sign(githubJob()));
    assert.deepEqual([status, body['error']], [400, 'invalid_request']);
    return body;
  }
  async function assertSame(answer: TokenAnswer, title: string): Promise<void> {
    assert.deepEqual([answer.status, answer.body], [400, await refused()], title);
  }

  const forges: ReadonlyArray<readonly [string, () => Json, object]> = [
    [
      'GitHub Actions',
      githubJob,
      {
        Subject: 'repo:acme/app:*',
        Claims: {
          repository: 'acme/app',
          repository_owner_id: '583231',
          job_workflow_ref: 'acme/ci/.github/workflows/deploy.yml@refs/heads/*',
        },
      },
    ],
    [
      'GitLab',
      gitlabJob,
      {
        Subject: 'project_path:acme/app:ref_type:branch:ref:main',
        Claims: { project_path: 'acme/app', project_id: '20', ref_protected: 'true' },
      },
    ],
  ];
  for (const [forge, job, fields] of forges)
    test(`exchanges the token of a job of ${forge}`, async () => {
      const bot = await trusting(job(), fields);
      const token = issuer.sign(job());
      const answer = await exchange(bot.ID, token);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const { access_token: _token, ...response } = answer.body;
      assert.deepEqual(response, {
        issued_token_type: typeOf('access_token'),
        token_type: 'Bearer',
        expires_in: 300,
        scope: '*',
      });
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      const { sub, client_id, credential, tenant: its, scope } = await verified(stack, answer.body);
      assert.deepEqual(
        { sub, client_id, credential, its, scope },
        { sub: bot.ID, client_id: bot.ID, credential: bot.trust, its: tenant, scope: '*' },
      );
      // A job may need several tokens.
      const again = { subject_token_type: typeOf('id_token'), scope: 'app.reports.read' };
      assert.equal((await exchange(bot.ID, token, again)).body['scope'], 'app.reports.read');
    });

  test('exchanges no token that differs from its trust, and the answer does not say why', async () => {
    const bot = await trusting(githubJob(), {
      Subject: 'repo:acme/app:*',
      Claims: { repository_owner_id: '583231' },
    });
    const claims = githubJob();
    const other = newSigning();
    const tokens: Record<string, string> = {
      'another repository': issuer.sign({ ...claims, sub: 'repo:acme/app2:ref:refs/heads/main' }),
      'another owner': issuer.sign({ ...claims, repository_owner_id: '5832310' }),
      'another audience': issuer.sign({ ...claims, aud: 'https://id.example.com/' }),
      'another issuer': issuer.sign({ ...claims, iss: `${String(claims['iss'])}/` }),
      'a key of the same name': other.sign(claims),
      'an unknown key': issuer.sign(claims, { kid: 'k2' }),
      'another algorithm than signed': issuer.sign(claims, { alg: 'RS512' }),
      'changed claims': issuer
        .sign({ ...claims, sub: 'repo:evil/app:x' })
        .replace(/\.[^.]*\./, `.${issuer.sign(claims).split('.')[1]}.`),
      'an unknown critical header': issuer.sign(claims, { crit: ['x'], x: 1 }),
    };
    for (const [title, token] of Object.entries(tokens))
      await assertSame(await exchange(bot.ID, token), title);
    const mine = await signUp(stack);
    const foreign = await createBot(stack, await tenantFor(stack, mine.id), mine.token);
    await assertSame(await exchange(foreign.ID, issuer.sign(claims)), 'a bot of another tenant');
    assert.equal((await exchange(bot.ID, issuer.sign(claims))).status, 200);
  });

  test('exchanges no token without a signature of a key pair, and none that is too old or lives too long', async () => {
    const claims = githubJob();
    const bot = await trusting(claims);
    const now = Math.floor(Date.now() / 1000);
    const pem = issuer.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    const header = { kid: issuer.kid };
    const signed = /signed with a key pair/;
    const cases: ReadonlyArray<readonly [string, RegExp]> = [
      [unsignedToken({ ...header, alg: 'none' }, claims), signed],
      [macToken({ ...header, alg: 'HS256' }, claims, issuer.jwks), signed],
      [macToken({ ...header, alg: 'HS256' }, claims, pem), signed],
      ['x.y.z', signed],
      ['x'.repeat(20_000), signed],
      [issuer.sign({ ...claims, filler: 'x'.repeat(16_000) }), signed],
      [issuer.sign({ ...claims, exp: undefined }), /exp/],
      [issuer.sign({ ...claims, iat: undefined }), /iat/],
      [issuer.sign({ ...claims, exp: String(claims['exp']) }), /exp/],
      [issuer.sign({ ...claims, exp: now - 120 }), /has expired/],
      [issuer.sign({ ...claims, nbf: now + 300 }), /not valid yet/],
      [issuer.sign({ ...claims, iat: now + 300 }), /not valid yet/],
      [issuer.sign({ ...claims, exp: now + 25 * 3600 }), /more than 24 hours/],
      [issuer.sign({ ...claims, iat: now - 30 * 3600 }), /more than 24 hours/],
      [issuer.sign({ ...claims, sub: undefined }), /subject/],
      [issuer.sign({ ...claims, aud: undefined }), /audience/],
    ];
    for (const [token, description] of cases)
      for (const id of [bot.ID, unknownBot]) {
        const { status, body } = await exchange(id, token);
        assert.deepEqual([status, body['error']], [400, 'invalid_request']);
        assert.match(String(body['error_description']), description);
      }
    assert.deepEqual(await entriesOf(bot.ID), []);
  });

  test('a trailing "*" stands for every further character, and for no other', async () => {
    const at = async (Subject: string, sub: string) => {
      const bot = await trusting(githubJob(), { Subject });
      return (await exchange(bot.ID, issuer.sign({ ...githubJob(), sub }))).status;
    };
    assert.equal(await at('repo:acme/app*', 'repo:acme/app-evil:ref:refs/heads/main'), 200);
    assert.equal(await at('repo:acme/app:*', 'repo:acme/app-evil:ref:refs/heads/main'), 400);
    assert.equal(await at('repo:acme/app:*', 'repo:acme/app:pull_request'), 200);
    assert.equal(await at('repo:acme/app:ref:refs/heads/main', 'repo:acme/app:*'), 400);
  });

  test('of two clusters with issuers of one name gets a token from each', async () => {
    const second = newSigning();
    const claims = { ...githubJob(), iss: 'https://kubernetes.default.svc', sub: 'a' };
    const bot = await trusting(claims);
    const other = await saveTrust(stack, trustIn(bot, claims, second.jwks), ada.token);
    const credentialOf = async (token: string) =>
      (await verified(stack, (await exchange(bot.ID, token)).body))['credential'];
    assert.equal(await credentialOf(issuer.sign(claims)), bot.trust);
    assert.equal(await credentialOf(second.sign(claims)), other);
  });

  test('gets no token once its trust is deleted, or the bot or the tenant is inactive', async () => {
    const claims = githubJob();
    const token = issuer.sign(claims);
    const [untrusted, inactive] = [await trusting(claims), await trusting(claims)];
    const { trust, ...record } = inactive;
    bodyOf(
      await stack.call('BotTrusts_Delete', { Tenant: tenant, ID: untrusted.trust }, ada.token),
    );
    bodyOf(await stack.call('Bots_Save', { Bot: { ...record, Active: false } }, ada.token));
    for (const { ID } of [untrusted, inactive]) await assertSame(await exchange(ID, token), ID);
    assert.ok(trust);
    const home = await tenantFor(stack, ada.id);
    const suspended = await createBot(stack, home, ada.token);
    await saveTrust(stack, trustIn(suspended, claims, issuer.jwks), ada.token);
    assert.equal((await exchange(suspended.ID, token)).status, 200);
    bodyOf(await stack.call('Tenants_Suspend', { Tenant: home }, stack.platformKey));
    await assertSame(await exchange(suspended.ID, token), 'of a suspended tenant');
  });

  test('its exchanges are in the audit of its tenant, with the reason of each refusal', async () => {
    const claims = githubJob();
    const bot = await trusting(claims);
    assert.equal((await exchange(bot.ID, issuer.sign(claims))).status, 200);
    for (const token of [
      issuer.sign({ ...claims, sub: 'repo:evil/app:x' }),
      newSigning().sign(claims),
      issuer.sign(claims, { kid: 'k2' }),
    ])
      assert.equal((await exchange(bot.ID, token)).status, 400);
    const entries = await eventually('the audit of four exchanges', async () => {
      const entries = await entriesOf(bot.ID);
      return entries.length === 4 && entries;
    });
    assert.deepEqual(entries.map((entry) => `${entry.Action} ${reasonOf(entry)}`).sort(), [
      'bot.token_issued ',
      'bot.token_refused key_unknown',
      'bot.token_refused no_trust_matches',
      'bot.token_refused signature_invalid',
    ]);
    const issued = entries.find(({ Result }) => Result === 'success');
    assert.deepEqual([issued?.ActorID, issued?.CredentialID], [bot.ID, bot.trust]);
    const unmatched = entries.find((entry) => reasonOf(entry) === 'no_trust_matches');
    assert.deepEqual(
      unmatched?.Targets.map(({ Type, Name }) => [Type, Name]),
      [
        ['bot', ''],
        ['issuer', claims['iss']],
        ['subject', 'repo:evil/app:x'],
      ],
    );
  });

  test('is not renewed by its own token', async () => {
    const claims = githubJob();
    const bot = await trusting(claims);
    const own = await exchange(bot.ID, issuer.sign(claims));
    const { status, body } = await exchange(bot.ID, String(own.body['access_token']));
    assert.deepEqual([status, body['error']], [400, 'invalid_request']);
    assert.match(String(body['error_description']), /another issuer/);
  });

  test('200 exchanges at once give 200 tokens', async () => {
    const claims = githubJob();
    const bot = await trusting(claims);
    const token = issuer.sign(claims);
    const answers = await Promise.all(Array.from({ length: 200 }, () => exchange(bot.ID, token)));
    assert.equal(new Set(answers.map(({ body }) => body['access_token'])).size, 200);
    assert.ok(answers.every(({ status }) => status === 200));
  });

  test('asks in the form of the protocol', async () => {
    const claims = githubJob();
    const bot = await trusting(claims);
    const token = issuer.sign(claims);
    const wrong: ReadonlyArray<readonly [Record<string, string>, string]> = [
      [{ subject_token: '' }, 'invalid_request'],
      [{ subject_token_type: typeOf('access_token') }, 'invalid_request'],
      [{ requested_token_type: typeOf('refresh_token') }, 'invalid_request'],
      [{ actor_token: token, actor_token_type: typeOf('jwt') }, 'invalid_request'],
      [{ audience: 'https://api.example.test' }, 'invalid_target'],
      [{ resource: 'https://api.example.test' }, 'invalid_target'],
      [{ scope: 'openid' }, 'invalid_scope'],
      [{ client_secret: 'x' }, 'invalid_client'],
      [{ client_id: 'app_01jzzzzzzzzzzzzzzzzzzzzzzz' }, 'invalid_client'],
    ];
    for (const [over, error] of wrong)
      assert.equal((await exchange(bot.ID, token, over)).body['error'], error, error);
    const its = { audience: stack.url, resource: stack.url };
    assert.equal((await exchange(bot.ID, token, its)).status, 200);
    const form = { grant_type: 'client_credentials', client_id: bot.ID };
    assert.equal((await requestToken(stack, form)).body['error'], 'invalid_client');
  });

  test('BotTrusts_Save refuses private, secret and large keys', async () => {
    const bot = await trusting({ ...githubJob(), ...times() });
    const save = (JWKS: string) =>
      stack.call(
        'BotTrusts_Save',
        { Trust: { ...trustIn(bot, githubJob(), ''), JWKS } },
        ada.token,
      );
    const own = issuer.privateKey.export({ format: 'jwk' });
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
    for (const keys of [
      [own],
      [{ kty: 'oct', k: 'c2VjcmV0' }],
      [weak.export({ format: 'jwk' })],
      [],
    ])
      assert.equal((await save(JSON.stringify({ keys }))).status, 400);
    assert.equal((await save(`${issuer.jwks}${' '.repeat(64 * 1024)}`)).status, 400);
    assert.equal((await save('not JSON')).status, 400);
    const forged = signToken({ alg: 'RS256', kid: 'k1' }, githubJob(), issuer.privateKey);
    assert.equal((await exchange(bot.ID, forged)).status, 200);
  });
});
