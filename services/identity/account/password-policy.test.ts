import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Code, ConnectError } from '@connectrpc/connect';
import { createPasswordPolicy } from './password-policy.ts';

const failing = (code: Code) => () => Promise.reject(new ConnectError('', code));
const policyWith = (code: Code) =>
  createPasswordPolicy({
    sso: { find: failing(code) },
    authority: { listOwners: failing(Code.Internal) },
    admission: { isOpen: failing(Code.Internal) },
  });

test('where sso is of a version that knows no requirement, passwords serve', async () => {
  assert.deepEqual(await policyWith(Code.Unimplemented).of('plain.example'), { tenant: '', lifted: false });
});

test('where sso is away no password serves', async () => {
  for (const code of [Code.Unavailable, Code.Internal, Code.PermissionDenied, Code.DeadlineExceeded])
    await assert.rejects(policyWith(code).of('plain.example'), { code });
});
