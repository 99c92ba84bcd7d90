import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { createAnchor } from '@bailiwick/access/audit/anchor.ts';
import { signCheckpoint } from '@bailiwick/access/audit/verify.ts';
import { parseKeyRing } from '@bailiwick/keys';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { type Chains, openChains, recent } from '../../support/audit-chains.ts';
import type { Stack } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';

type Verdict = {
  Valid: boolean;
  Checked: number;
  Problems: Array<{ Seq: number; Kind: string }>;
  NextCursor: string;
  AnchorState: string;
  AnchorSeq: number;
  AnchoredAt?: string;
};

describe('audit anchors', () => {
  let stack: Stack;
  let chains: Chains;
  before(async () => {
    stack = await sharedStack('one process');
    chains = openChains(stack, (await signUp(stack)).id);
  });
  after(async () => {
    await chains?.close();
    await stack?.stop();
  });

  const anchorOf = async (tenant: string) =>
    String(
      bodyOf(await stack.call('Audit_Anchor', { Tenant: tenant }, stack.platformKey))['Anchor'],
    );
  const askWith = (Tenant: string, Anchor: string, Cursor = '') =>
    stack.call('Audit_Verify', { Tenant, Anchor, Cursor }, stack.platformKey);
  const verifyWith = async (tenant: string, anchor: string, cursor = '') =>
    bodyOf(await askWith(tenant, anchor, cursor)) as unknown as Verdict;

  test('Audit_Verify with an Anchor proves that no earlier entry has changed, and detects a rewritten chain', async () => {
    const tenant = await chains.tenantWith(recent(20));
    const start = Date.now();
    const anchor = await anchorOf(tenant);
    await chains.add(tenant, recent(5));
    const {
      Valid,
      Checked,
      AnchorState,
      AnchorSeq,
      AnchoredAt = '',
    } = await verifyWith(tenant, anchor);
    assert.deepEqual(
      { Valid, Checked, AnchorState, AnchorSeq },
      { Valid: true, Checked: 25, AnchorState: 'unchanged', AnchorSeq: 20 },
    );
    assert.ok(Math.abs(Date.parse(AnchoredAt) - start) < 10_000);
    // Without an anchor it is the ordinary verification.
    const plain = await verifyWith(tenant, '');
    assert.deepEqual([plain.AnchorState, plain.AnchorSeq, plain.AnchoredAt], ['', 0, undefined]);

    await chains.rewrite(tenant, recent(25));
    assert.equal((await verifyWith(tenant, '')).Valid, true, 'the rewritten chain is consistent');
    const rewritten = await verifyWith(tenant, anchor);
    assert.deepEqual(
      [
        rewritten.Valid,
        rewritten.AnchorState,
        rewritten.Problems.map(({ Seq, Kind }) => `${Kind} at ${Seq}`),
      ],
      [false, '', ['changed at 20']],
    );
    await chains.rewrite(tenant, recent(10));
    const shortened = await verifyWith(tenant, anchor);
    assert.deepEqual(
      [
        shortened.Valid,
        shortened.AnchorState,
        shortened.Problems.map(({ Seq, Kind }) => `${Kind} at ${Seq}`),
      ],
      [false, '', ['missing at 11']],
    );
  });

  test('Audit_Verify proves the anchor of an empty chain, and an anchor on a later page', async () => {
    const tenant = await chains.tenantWith([]);
    const empty = await anchorOf(tenant);
    assert.equal((await verifyWith(tenant, empty)).AnchorState, 'unchanged');
    for (let round = 0; round < 20; round++) await chains.add(tenant, recent(1000));
    await chains.add(tenant, recent(10));
    const anchor = await anchorOf(tenant);
    const first = await verifyWith(tenant, anchor);
    assert.deepEqual([first.Valid, first.Checked, first.AnchorState], [true, 20_000, '']);
    const second = await verifyWith(tenant, anchor, first.NextCursor);
    assert.deepEqual([second.Valid, second.Checked, second.AnchorState], [true, 10, 'unchanged']);
    const plain = await verifyWith(tenant, '', (await verifyWith(tenant, '')).NextCursor);
    assert.deepEqual([plain.Valid, plain.Checked, plain.NextCursor], [true, 10, '']);
    assertRefused(
      await askWith(await chains.tenantWith([]), anchor, first.NextCursor),
      400,
      'invalid_argument',
    );
    // The anchor belongs to all pages: without it the cursor is from another list.
    assertRefused(await askWith(tenant, '', first.NextCursor), 400, 'invalid_argument', [
      'Page.Cursor is not a cursor of this list',
    ]);
  });

  test('Audit_Verify refuses a forged, a truncated and another tenant’s anchor', async () => {
    const [tenant, other] = [
      await chains.tenantWith(recent(3)),
      await chains.tenantWith(recent(3)),
    ];
    const anchor = await anchorOf(tenant);
    const unknown = [
      'Anchor was not made by this installation, or its key is no longer in the key ring',
    ];
    const dot = anchor.indexOf('.') + 1;
    const flipped = `${anchor.slice(0, dot + 30)}${anchor[dot + 30] === 'A' ? 'B' : 'A'}${anchor.slice(dot + 31)}`;
    const foreignRing = parseKeyRing(`k9:${randomBytes(32).toString('base64')}`);
    const ring = chains.keyRing();
    const checkpoint = signCheckpoint(ring, tenant, { seq: 3, hash: 'x' });
    const forged = createAnchor(foreignRing, { tenant, seq: 3, hash: 'x', at: new Date() });
    for (const bad of [
      'x',
      anchor.slice(0, -4),
      anchor.slice(0, dot),
      flipped,
      checkpoint,
      forged,
      `${anchor}.`,
      ` ${anchor}`,
    ])
      assertRefused(await askWith(tenant, bad), 400, 'invalid_argument', unknown);
    assertRefused(await askWith(other, anchor), 400, 'invalid_argument', [
      'Anchor belongs to another tenant',
    ]);
    assertRefused(await askWith('', anchor), 400, 'invalid_argument', [
      'Anchor belongs to another tenant',
    ]);
    assertRefused(await askWith(tenant, 'x'.repeat(2000)), 400, 'invalid_argument', [
      'Anchor must be at most 1024 characters',
    ]);
    const stranger = await signUp(stack);
    for (const operation of ['Audit_Anchor', 'Audit_Verify'])
      assertRefused(
        await stack.call(operation, { Tenant: tenant }, stranger.token),
        403,
        'permission_denied',
      );
  });

  test('Audit_Verify reports an anchor before the checkpoint as dropped, and proves an anchor behind it', async () => {
    const tenant = await chains.tenantWith([500, 450, 410]);
    const early = await anchorOf(tenant);
    await chains.add(tenant, [399, 100, 1]);
    const late = await anchorOf(tenant);
    await chains.add(tenant, recent(1));
    await chains.prune();
    assert.equal(await countOf(stack, 'access.audit_entry where tenant = $1', [tenant]), 4);
    // The anchor is the last dropped entry, so the checkpoint has its hash.
    assert.deepEqual(
      [(await verifyWith(tenant, early)).AnchorState, (await verifyWith(tenant, late)).AnchorState],
      ['unchanged', 'unchanged'],
    );
    await rowsOf(
      stack,
      `update access.tenant set settings = '{"auditRetentionDays": 50}' where id = $1`,
      [tenant],
    );
    await chains.prune();
    const dropped = await verifyWith(tenant, early);
    assert.deepEqual([dropped.Valid, dropped.AnchorState], [true, 'dropped']);
    assert.equal((await verifyWith(tenant, late)).AnchorState, 'unchanged');
    // A checkpoint that the service did not sign proves nothing.
    await rowsOf(
      stack,
      `update access.audit_checkpoint set signature = signature || 'x' where tenant = $1`,
      [tenant],
    );
    const unsigned = await verifyWith(tenant, early);
    assert.deepEqual([unsigned.Valid, unsigned.AnchorState], [false, '']);
  });
});
