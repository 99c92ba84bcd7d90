import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { newCaller } from '@bailiwick/contract';
import { createConfirm, type RightsSources } from './confirm.ts';

/** Confirms a caller with a live credential, for which access answers with these rights. */
const confirmWith = (rights: Awaited<ReturnType<RightsSources['authority']['effective']>>) =>
  createConfirm({
    credential: async () => ({
      state: {
        ssoTenant: '',
        assurance: '',
        ownAssurance: '',
        operator: '',
        limitedTo: '',
        voucher: '',
        narrowedTo: [],
      },
    }),
    authority: { effective: async () => rights },
  });

/** The permissions of a caller that came with the bits of `before`, if access answers with `after`. */
async function confirmed(before: string, after: string, knownPermissions = 0): Promise<string> {
  const confirm = confirmWith({ permissions: Buffer.from(after, 'hex'), knownPermissions });
  const caller = newCaller({ type: 'user', permissions: Buffer.from(before, 'hex') });
  return Buffer.from((await confirm(caller, 'tnt_1')).permissions).toString('hex');
}

test('a caller holds the rights that access answers', async () => {
  assert.equal(await confirmed('ffff', 'ff0f', 16), 'ff0f');
  assert.equal(await confirmed('ffff', '0000', 16), '0000');
  assert.equal(await confirmed('ffff', '', 16), '0000');
  // An answer without rights.
  assert.equal(await confirmed('ffff', ''), '');
});

test('permissions that an older access does not know count as they came', async () => {
  assert.equal(await confirmed('ff3080', 'fe00', 12), 'fe3080');
  assert.equal(await confirmed('ff3f80', 'fe00', 12), 'fe3080');
});

test('a caller without a tenant gets the name of the only tenant that its rights are for', async () => {
  const present = await confirmWith({ tenant: 'tnt_1' })(newCaller({ type: 'user' }), '');
  assert.equal(present.tenant, 'tnt_1');
});
