import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationOf } from '@bailiwick/contract';
import { createLog } from '@bailiwick/process';
import {
  Credentials,
  type RecordUsesRequest,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { createUses } from './uses.ts';

const session = { type: 'user', credentialId: 'ses_1', tenant: '' };
const key = { type: 'bot', credentialId: 'bky_1', tenant: 'tnt_1' };
const at = (firstMs: number, everyMs: number) => ({
  firstUseIn: durationOf(firstMs),
  useEvery: durationOf(everyMs),
});

/** The uses of credentials, and the reports that identity got, or refused while it is away. */
function setUp() {
  const reports: string[][] = [];
  const identity = { isAway: false };
  const transport = createRouterTransport(({ rpc }) => {
    rpc(Credentials.method.recordUses, ({ uses }: RecordUsesRequest) => {
      if (identity.isAway) throw new ConnectError('away', Code.Unavailable);
      reports.push(uses.map(({ credentialId, tenant }) => `${tenant}/${credentialId}`));
      return {};
    });
  });
  return {
    reports,
    identity,
    ...createUses(
      transport,
      createLog('test', () => {}),
    ),
  };
}

test('the uses of several credentials that are due are reported together, each once', async () => {
  const { of, close, reports } = setUp();
  const noteSession = of(session, at(0, 60_000));
  const noteKey = of(key, at(0, 60_000));
  const noteRecent = of({ ...session, credentialId: 'ses_2' }, at(60_000, 60_000));
  for (const note of [noteSession, noteKey, noteRecent, noteSession, noteKey]) note();
  await close();
  assert.deepEqual(reports, [['/ses_1', 'tnt_1/bky_1']]);
  await close();
  assert.equal(reports.length, 1, 'an empty report is not sent');
});

test('a use whose report failed is followed by the next one', async () => {
  const { of, close, reports, identity } = setUp();
  const note = of(session, at(0, 60_000));
  identity.isAway = true;
  note();
  await close();
  identity.isAway = false;
  note();
  note();
  await close();
  assert.deepEqual(reports, [['/ses_1']]);
});

test('a credential whose use is not recorded is not reported', async () => {
  const { of, close, reports } = setUp();
  of({ ...session, type: 'support' }, {})();
  await close();
  assert.deepEqual(reports, []);
});
