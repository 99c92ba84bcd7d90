import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Issuer } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { createRouterTransport } from '@connectrpc/connect';
import { createSignInTargets } from './sign-in-target.ts';

const uid = 'bVqUMdFgqyJrsMJ-_3FWN';
type Answer = { waiting?: boolean; app?: string; tenant?: string; owner?: string };

function targetsOf(describe: () => Promise<Answer>) {
  const calls: string[] = [];
  const sso = createRouterTransport(({ rpc }) => {
    rpc(Issuer.method.describeSignIn, ({ interaction, ip }) => {
      calls.push(`${interaction} ${ip}`);
      return describe();
    });
  });
  const find = createSignInTargets(sso, 'Example ID');
  return { calls, find: (returnTo: string) => find(returnTo, '192.0.2.1') };
}
const targetOf = (answer: Answer) =>
  targetsOf(() => Promise.resolve(answer)).find(`/oauth/interaction/${uid}`);

test('only the address of a request of the issuer asks for its app', async () => {
  const { calls, find } = targetsOf(() => Promise.resolve({ waiting: true, app: 'Wiki' }));
  for (const path of [
    '',
    '/docs',
    'https://app.example/oauth/interaction/bVqUMdFgqyJrsMJ-_3FWN',
    `//oauth/interaction/${uid}`,
    `/oauth/interaction/${uid}/..`,
    `/oauth/interaction/${uid}?app=Wiki`,
    '/oauth/interaction/short',
    `/oauth/interaction/${'a'.repeat(65)}`,
  ])
    assert.equal(await find(path), undefined, path);
  assert.deepEqual(calls, []);
  for (const path of [`/oauth/interaction/${uid}`, `/oauth/interaction/${uid}?back=1`])
    assert.deepEqual(await find(path), { app: 'Wiki', tenant: '' }, path);
  assert.deepEqual(calls, [`${uid} 192.0.2.1`, `${uid} 192.0.2.1`]);
});

test('a request that nothing waits for has no app, nor one while sso fails or hangs', async () => {
  assert.equal(await targetOf({ app: 'Wiki', tenant: 'tnt_1' }), undefined);
  const path = `/oauth/interaction/${uid}`;
  const failing = targetsOf(() => Promise.reject(new Error('away')));
  const hanging = targetsOf(() => new Promise<never>(() => {}));
  const start = performance.now();
  assert.deepEqual(await Promise.all([failing.find(path), hanging.find(path)]), [
    undefined,
    undefined,
  ]);
  assert.ok(performance.now() - start < 5000);
});

test('a request has no app while sso is of the version before', async () => {
  const find = createSignInTargets(
    createRouterTransport(({ rpc }) => {
      rpc(Issuer.method.getLogo, () => ({}));
    }),
    'Example ID',
  );
  assert.equal(await find(`/oauth/interaction/${uid}`, '192.0.2.1'), undefined);
});

test('no app of a tenant has the name of the service, and a long name is cut', async () => {
  const waiting = true;
  for (const app of ['Bailiwick', ' EXAMPLE  id ', 'Exa\u200bmple ID']) {
    const tenant = 'tnt_1';
    assert.deepEqual(await targetOf({ waiting, app, tenant, owner: tenant }), { app: '', tenant });
    // An app of the platform keeps its name, also with the looks of a tenant.
    assert.notEqual((await targetOf({ waiting, app, tenant }))?.app, '', app);
  }
  const long = await targetOf({ waiting, app: '😀'.repeat(128) });
  assert.equal(long?.app, `${'😀'.repeat(63)}…`);
  const exact = 'a'.repeat(64);
  assert.equal((await targetOf({ waiting, app: exact }))?.app, exact);
  assert.equal((await targetOf({ waiting, app: ' a\u202eb\n' }))?.app, 'ab');
});
