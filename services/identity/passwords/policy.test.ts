import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceOrigin } from '@bailiwick/contract';
import { Code, ConnectError } from '@connectrpc/connect';
import { createPasswordPolicy } from './policy.ts';

const call = serviceOrigin('identity');
const failing = (code: Code) => () => Promise.reject(new ConnectError('', code));
const policyWith = (code: Code) =>
  createPasswordPolicy({
    sso: { find: failing(code) },
    authority: { listOwners: failing(Code.Internal) },
    admission: { isOpen: failing(Code.Internal) },
  });

test('no password is accepted while sso is down', async () => {
  for (const code of [
    Code.Unavailable,
    Code.Internal,
    Code.PermissionDenied,
    Code.DeadlineExceeded,
    Code.Unimplemented,
  ])
    await assert.rejects(policyWith(code).of('plain.example', call), { code });
});
