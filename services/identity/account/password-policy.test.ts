import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Code, ConnectError } from '@connectrpc/connect';
import { createLog } from '@bailiwick/shared/log.ts';
import { createPasswordPolicy } from './password-policy.ts';

const failing = (code: Code) => () => Promise.reject(new ConnectError('', code));
const policyOf = (find: () => Promise<never>) =>
  createPasswordPolicy({
    sso: { find },
    authority: { listOwners: failing(Code.Internal) },
    admission: { isOpen: failing(Code.Internal) },
    log: createLog('identity', () => {}),
  });
const policyWith = (code: Code) => policyOf(failing(code));

test('where sso is of a version that knows no requirement, passwords serve', async () => {
  assert.deepEqual(await policyWith(Code.Unimplemented).of('plain.example'), { tenant: '', lifted: false });
});

test('once sso has known of requirements, whoever at its address does not is somebody else', async () => {
  let find: () => Promise<unknown> = () => Promise.resolve({ tenant: '', lifted: false });
  const policy = policyOf((() => find()) as () => Promise<never>);
  await policy.of('first.example');
  find = failing(Code.Unimplemented);
  await assert.rejects(policy.of('second.example'), { code: Code.Unimplemented });
});

test('where sso is away no password serves', async () => {
  for (const code of [Code.Unavailable, Code.Internal, Code.PermissionDenied, Code.DeadlineExceeded])
    await assert.rejects(policyWith(code).of('plain.example'), { code });
});
