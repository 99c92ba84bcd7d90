import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@bailiwick/pipeline';
import type { Database } from '@bailiwick/store';
import type { Directory } from '../directory.ts';
import { acceptOffer } from './offers.ts';

/** Accepts an offer of a bot that is gone. */
async function accept(isMember: boolean) {
  const row = { isMember, offer: 'pending', adderType: 'bot', addedBy: 'bot_1' };
  let transactions = 0;
  const database = {
    query: () => Promise.resolve([row]),
    transaction: () => Promise.resolve(void transactions++),
  } as unknown as Database;
  const directory = { getBots: () => Promise.resolve({ bots: [] }) } as unknown as Directory;
  await acceptOffer({ database, directory }, 'tnt_1', {
    caller: { id: 'usr_1' },
  } as unknown as Call);
  return transactions;
}

test('a member with an offer of an inviter who is gone accepts it as before, others cannot', async () => {
  assert.equal(await accept(true), 1);
  await assert.rejects(accept(false), { code: 'failed_precondition' });
});
