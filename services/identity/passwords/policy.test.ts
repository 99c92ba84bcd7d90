import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceOrigin } from '@bailiwick/contract';
import { createLog } from '@bailiwick/process';
import { Code, ConnectError } from '@connectrpc/connect';
import { createPasswordPolicy } from './policy.ts';

const call = serviceOrigin('identity');
const failing = (code: Code) => () => Promise.reject(new ConnectError('', code));
const policyWith = (
  code: Code,
  check: () => Promise<never> = () => Promise.resolve({ redirect: '' } as never),
) =>
  createPasswordPolicy({
    sso: { find: failing(code) },
    redirects: { check },
    authority: { listOwners: failing(Code.Internal) },
    admission: { isOpen: failing(Code.Internal) },
    log: createLog('identity', () => {}),
  });

test('passwords are accepted while sso is a version without password policies', async () => {
  assert.deepEqual(await policyWith(Code.Unimplemented).of('plain.example', call), {
    tenant: '',
    lifted: false,
  });
});

test('no password is accepted if another service answers at the address of sso', async () => {
  await assert.rejects(
    policyWith(Code.Unimplemented, failing(Code.Unimplemented)).of('plain.example', call),
    { code: Code.Unimplemented },
  );
});

test('no password is accepted while sso is down', async () => {
  for (const code of [
    Code.Unavailable,
    Code.Internal,
    Code.PermissionDenied,
    Code.DeadlineExceeded,
  ])
    await assert.rejects(policyWith(code).of('plain.example', call), { code });
});
