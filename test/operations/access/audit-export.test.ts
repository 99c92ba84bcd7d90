import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { type Chains, openChains, recent } from '../../support/audit-chains.ts';
import { eventually, type Stack } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf } from '../../support/store.ts';

describe('the export of audit entries', () => {
  let stack: Stack;
  let chains: Chains;
  let owner: Awaited<ReturnType<typeof signUp>>;
  before(async () => {
    stack = await sharedStack('one process');
    owner = await signUp(stack);
    chains = openChains(stack, owner.id);
  });
  after(async () => {
    await chains?.close();
    await stack?.stop();
  });

  const download = (body: object, token: string) =>
    fetch(`${stack.url}/Audit_Export`, {
      method: 'POST',
      // Clients send an idempotency key with every call, also with this streamed one.
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify(body),
    });

  test('Audit_Export streams all entries, oldest first, as NDJSON and as CSV, and is audited itself', async () => {
    const tenant = await chains.tenantWith(recent(2500));
    const response = await download({ Tenant: tenant, Cursor: 'ignored' }, owner.token);
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
    assert.match(
      response.headers.get('content-disposition') ?? '',
      /filename="audit-export\.ndjson"/,
    );
    const lines = (await response.text()).trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { Seq: number; Tenant: string });
    assert.deepEqual(
      entries.map(({ Seq }) => Seq),
      Array.from({ length: 2500 }, (_, index) => index + 1),
    );
    assert.ok(entries.every(({ Tenant }) => Tenant === tenant));

    const csv = await download(
      { Tenant: tenant, Format: 'csv', Filter: { Actions: ['group.created'] } },
      owner.token,
    );
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
    const rows: string[][] = parse(await csv.text(), { recordDelimiter: '\r\n' });
    assert.equal(rows.length, 2501);
    assert.deepEqual(rows[0]?.slice(0, 5), ['ID', 'Tenant', 'Seq', 'OccurredAt', 'Action']);
    assert.ok(rows[1]?.includes("'=cmd()"), 'no formula');
    assert.equal(
      (
        await (
          await download({ Tenant: tenant, Filter: { Actions: ['nothing'] } }, owner.token)
        ).text()
      ).length,
      0,
    );
    await eventually(
      'the audit entry of the export',
      async () =>
        (await countOf(
          stack,
          `access.audit_entry where tenant = $1 and action = 'audit.exported'`,
          [tenant],
        )) === 3,
    );
  });

  test('Audit_Export requires its permission, and answers a request that it cannot export with an ErrorResponse', async () => {
    const tenant = await chains.tenantWith(recent(2));
    const stranger = await signUp(stack);
    for (const token of [stranger.token, ''])
      assert.equal((await download({ Tenant: tenant }, token)).status, token ? 403 : 401);
    const bad = await download({ Tenant: tenant, Format: 'xml' }, owner.token);
    assert.equal(bad.status, 400);
    assert.deepEqual(((await bad.json()) as { Messages: string[] }).Messages, [
      'Format must be one of ndjson, csv',
    ]);
    assert.equal((await download({}, owner.token)).status, 400);
    assert.equal((await download({}, stack.platformKey)).status, 200);
  });
});
