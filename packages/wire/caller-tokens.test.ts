import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  holdsInTenant,
  holdsOnPlatform,
  permissionBitmap,
  serviceCaller,
} from '@bailiwick/contract';
import { createLog } from '@bailiwick/process';
import {
  CallerSchema,
  CallerTokenSchema,
  SignedCallerTokenSchema,
} from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { create, fromBinary } from '@bufbuild/protobuf';
import { createCallerSigner, createCallerVerifier, openCallerVerifier } from './caller-tokens.ts';

function keyPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

const gateway = keyPair();
const access = keyPair();
const stranger = keyPair();
const verify = createCallerVerifier(
  'identity',
  new Map([
    ['gateway', gateway.publicKey],
    ['access', access.publicKey],
  ]),
);
const person = create(CallerSchema, {
  type: 'user',
  id: 'usr_1',
  tenant: 'tnt_1',
  permissions: permissionBitmap((permission) => permission === 'iam.groups.read'),
});

test('a caller that the gateway signed is accepted unchanged', () => {
  const caller = verify(createCallerSigner('gateway', gateway.privateKey)(person, 'identity'));
  assert.equal(caller.id, 'usr_1');
  assert.ok(holdsInTenant(caller, 'iam.groups.read', 'tnt_1'));
  assert.ok(!holdsInTenant(caller, 'iam.groups.write', 'tnt_1'));
  assert.ok(!holdsInTenant(caller, 'iam.groups.read', 'tnt_2'));
  assert.ok(!holdsInTenant(caller, 'iam.groups.read', ''));
  assert.ok(!holdsOnPlatform(caller, 'iam.groups.read'));
});

test('a caller token for another service, of an unknown signer or changed is refused as the failure of its process, and never as the client’s', () => {
  const sign = createCallerSigner('gateway', gateway.privateKey);
  const refused = { name: 'CallerRefusal', code: 'unavailable' };
  assert.throws(() => verify(sign(person, 'access')), refused);
  assert.throws(
    () => verify(createCallerSigner('gateway', stranger.privateKey)(person, 'identity')),
    refused,
  );
  assert.throws(
    () => verify(createCallerSigner('stranger', stranger.privateKey)(person, 'identity')),
    refused,
  );
  assert.throws(() => verify('junk'), refused);
  const token = sign(person, 'identity');
  assert.throws(
    () => verify(`${token.slice(0, 40)}${token[40] === 'A' ? 'B' : 'A'}${token.slice(41)}`),
    refused,
  );
});

test('a call without a caller token has no credential', () => {
  assert.throws(() => verify(undefined), { code: 'unauthenticated' });
});

test('only the gateway may call for users, and a service only for itself', () => {
  const sign = createCallerSigner('access', access.privateKey);
  assert.equal(verify(sign(serviceCaller('access'), 'identity')).id, 'access');
  assert.throws(() => verify(sign(person, 'identity')), /may not sign/);
  assert.throws(() => verify(sign(serviceCaller('sso'), 'identity')), /may not sign/);
});

test('a validate-only call is rejected by a service that does not know such calls', () => {
  const header = createCallerSigner('gateway', gateway.privateKey)(
    create(CallerSchema, { ...serviceCaller('gateway'), validateOnly: true }),
    'identity',
  );
  assert.equal(verify(header).validateOnly, true);
  // An older service compares the audience with its own name.
  const { token } = fromBinary(SignedCallerTokenSchema, Buffer.from(header, 'base64url'));
  assert.equal(fromBinary(CallerTokenSchema, token).audience, 'identity as judge');
});

const tokenOf = (header: string) => header.split('.', 1)[0];

test('one signature serves the calls of one caller to one service for a while, each with its own request id', () => {
  const sign = createCallerSigner('access', access.privateKey);
  assert.equal(
    sign(serviceCaller('access'), 'identity'),
    sign(serviceCaller('access'), 'identity'),
  );
  assert.notEqual(sign(serviceCaller('access'), 'identity'), sign(serviceCaller('access'), 'sso'));
  const asGateway = createCallerSigner('gateway', gateway.privateKey);
  const [first = '', second = ''] = ['req-1', 'req-2.a'].map((requestId) =>
    asGateway(create(CallerSchema, { ...person, requestId }), 'identity'),
  );
  assert.equal(tokenOf(first), tokenOf(second));
  assert.equal(verify(first).requestId, 'req-1');
  assert.equal(verify(second).requestId, 'req-2.a');
  assert.equal(verify(first).requestId, 'req-1');
});

test('any difference in a caller needs a signature of its own', () => {
  const sign = createCallerSigner('gateway', gateway.privateKey);
  const other = {
    permissions: permissionBitmap(() => true),
    platformPermissions: permissionBitmap(() => true),
  };
  const others = [
    { id: 'usr_2' },
    { tenant: 'tnt_2' },
    { ip: '192.0.2.1' },
    { credentialId: 'ses_2' },
    { permissions: other.permissions },
    other,
  ];
  const headers = [{}, ...others].map((change) =>
    sign(create(CallerSchema, { ...person, ...change }), 'identity'),
  );
  assert.equal(new Set(headers).size, headers.length);
  assert.equal(verify(headers[1]).id, 'usr_2');
  const changed = create(CallerSchema, person);
  assert.equal(verify(sign(changed, 'identity')).limitedTo, '');
  changed.limitedTo = 'tnt_9';
  assert.equal(verify(sign(changed, 'identity')).limitedTo, 'tnt_9');
});

test('only a request id may follow a token, and it changes nothing that is signed', () => {
  const token = createCallerSigner('gateway', gateway.privateKey)(person, 'identity');
  for (const junk of ['', 'a b', 'a\nb', 'x'.repeat(257)])
    assert.throws(() => verify(`${token}.${junk}`), { name: 'CallerRefusal' });
  const caller = verify(`${token}.req`);
  caller.id = 'usr_2';
  assert.equal(verify(token).id, 'usr_1');
});

test('a cached token still expires', (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const token = createCallerSigner('access', access.privateKey)(
    serviceCaller('access'),
    'identity',
  );
  verify(token);
  verify(token);
  context.mock.timers.tick(120_000);
  assert.throws(() => verify(token), { name: 'CallerRefusal' });
});

test('a verifier accepts a new key after a reload and, once the old key is removed, rejects its tokens, cached or not', async () => {
  const next = keyPair();
  let keys = new Map([['gateway', gateway.publicKey]]);
  const lines: string[] = [];
  const mounted = { path: '/keys', content: keys, read: () => keys };
  const verifyNow = openCallerVerifier(
    'identity',
    mounted,
    createLog('test', (line) => lines.push(line)),
  );
  const [byOld, byNew] = [gateway, next].map(({ privateKey }) =>
    createCallerSigner('gateway', privateKey)(person, 'identity'),
  );
  const take = async (pem: string) => {
    const before = lines.length;
    keys = new Map([['gateway', pem]]);
    while (lines.length === before) await sleep(50);
  };
  assert.equal(verifyNow(byOld).id, person.id);
  assert.throws(() => verifyNow(byNew), { name: 'CallerRefusal' });
  await take(`${gateway.publicKey}${next.publicKey}`);
  assert.deepEqual([verifyNow(byOld).id, verifyNow(byNew).id], [person.id, person.id]);
  await take(next.publicKey);
  assert.equal(verifyNow(byNew).id, person.id);
  assert.throws(() => verifyNow(byOld), { name: 'CallerRefusal' });
});
