import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCaller } from './caller.ts';
import { readVoucher, voucherOf } from './voucher.ts';

const names = (voucher: string) => readVoucher(voucher).map(({ type, id }) => `${type} ${id}`);

test('a change under a voucher is answered for by its author too', () => {
  const first = voucherOf(newCaller({ type: 'user', id: 'usr_admin' }));
  const second = voucherOf(newCaller({ type: 'user', id: 'usr_clerk', voucher: first }));
  assert.deepEqual(names(second), ['user usr_admin', 'user usr_clerk']);
  assert.equal(voucherOf(newCaller({ type: 'user', id: 'usr_clerk', voucher: second })), second);
});

test('a bot answers with its tenant and the narrowing of its key', () => {
  const bot = newCaller({
    type: 'bot',
    id: 'bot_1',
    tenant: 'tnt_1',
    narrowedTo: ['iam.sso.write'],
  });
  assert.deepEqual(readVoucher(voucherOf(bot)), [
    { type: 'bot', id: 'bot_1', botTenant: 'tnt_1', narrowedTo: ['iam.sso.write'] },
  ]);
});
