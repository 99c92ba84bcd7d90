import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, readPage } from '../../support/answers.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { type Audit, type Entry, startAudit } from './audit-entries.ts';

describeOne('lists of audit entries', 'one process', (topology) => {
  let suite: Audit;
  before(async () => {
    suite = await startAudit(await sharedStack(topology));
  });
  after(() => suite?.stop());

  test('Audit_List returns the entries that match its filter', async () => {
    const { stack, ada, bob, newTenant, save, entriesOf, entriesWhenThere } = suite;
    const Tenant = await newTenant();
    bodyOf(await save(Tenant, 'a'));
    for (const token of [bob.token, stack.platformKey]) await save(Tenant, 'b', token);
    bodyOf(await stack.call('Groups_AddMember', { Tenant, Group: 'a', UserID: ada.id }, ada.token));
    const all = await entriesWhenThere(Tenant, 7);
    const middle = all[3]?.OccurredAt ?? '';
    const filters: Array<[filter: object, keeps: (entry: Entry) => boolean]> = [
      [{ Actions: ['group.created'] }, ({ Action }) => Action === 'group.created'],
      [
        { Actions: ['group.created', 'grant.added'] },
        ({ Action }) => ['group.created', 'grant.added'].includes(Action),
      ],
      [{ ActorIDs: [ada.id] }, ({ ActorID }) => ActorID === ada.id],
      [{ ActorIDs: [ada.id, bob.id] }, ({ ActorID }) => [ada.id, bob.id].includes(ActorID)],
      [{ TargetIDs: [ada.id] }, ({ Targets }) => Targets.some(({ ID }) => ID === ada.id)],
      [{ Result: 'denied' }, ({ Result }) => Result === 'denied'],
      [{ From: middle }, ({ OccurredAt }) => OccurredAt >= middle],
      [{ To: middle }, ({ OccurredAt }) => OccurredAt < middle],
      [
        { Actions: ['group.created'], ActorIDs: [ada.id], Result: 'success' },
        ({ Action, ActorID }) => Action === 'group.created' && ActorID === ada.id,
      ],
      [{ ActionPrefix: 'group.' }, ({ Action }) => Action.startsWith('group.')],
      [
        { ActionPrefix: 'group.', Actions: ['group.created', 'grant.added'] },
        ({ Action }) => Action === 'group.created',
      ],
      [{ OperationPrefix: 'Groups_' }, ({ Operation }) => Operation.startsWith('Groups_')],
      [
        { OperationPrefix: 'Groups_', Result: 'success', IP: '127.0.0.1' },
        ({ Operation, Result }) => Operation.startsWith('Groups_') && Result === 'success',
      ],
      [
        { ActionPrefix: 'group', From: middle },
        ({ Action, OccurredAt }) => Action.startsWith('group') && OccurredAt >= middle,
      ],
      [
        { Result: 'success', To: middle },
        ({ Result, OccurredAt }) => Result === 'success' && OccurredAt < middle,
      ],
    ];
    for (const [filter, keeps] of filters) {
      const expected = all.filter(keeps);
      assert.ok(
        expected.length > 0 && expected.length < all.length,
        `${JSON.stringify(filter)} restricts`,
      );
      assert.deepEqual(
        await entriesOf(Tenant, { Filter: filter }, ada.token, 2),
        expected,
        JSON.stringify(filter),
      );
      assert.deepEqual(
        await entriesOf(Tenant, { Filter: filter, OldestFirst: true }, ada.token, 2),
        expected.toReversed(),
        `${JSON.stringify(filter)}, oldest first`,
      );
    }
    for (const filter of [
      {},
      null,
      { Actions: [], Result: '', IP: '', ActionPrefix: '' },
      { IP: '127.0.0.1' },
    ])
      assert.deepEqual(await entriesOf(Tenant, { Filter: filter }), all);
    for (const filter of [
      { IP: '192.0.2.1' },
      { Actions: ['group.%'] },
      { Actions: ['x'], ActorIDs: [ada.id] },
      { ActionPrefix: 'group.%' },
      { ActionPrefix: '%' },
      { ActionPrefix: 'gr_up' },
      { ActionPrefix: 'Group' },
      { OperationPrefix: 'Groups%' },
      { OperationPrefix: 'Groups_', ActionPrefix: 'webhook' },
      { From: middle, To: middle },
      { From: '2999-01-01T00:00:00Z', To: '1999-01-01T00:00:00Z' },
      { From: '2999-01-01T00:00:00Z', Result: 'success' },
    ]) {
      assert.deepEqual(await entriesOf(Tenant, { Filter: filter }), []);
    }
    for (const filter of [
      { Result: 'odd' },
      { From: 'yesterday' },
      { Actions: 'group.created' },
      { ActionPrefix: 'a'.repeat(65) },
      { Actions: Array.from({ length: 51 }, () => 'a') },
    ]) {
      assertRefused(
        await stack.call('Audit_List', { Tenant, Filter: filter }, ada.token),
        400,
        'invalid_argument',
      );
    }
  });

  test('Audit_List pages newest first, and new entries do not shift the pages', async () => {
    const { stack, ada, newTenant, save, entriesWhenThere } = suite;
    const Tenant = await newTenant();
    for (const path of ['a', 'b', 'c', 'd']) bodyOf(await save(Tenant, path));
    const all = await entriesWhenThere(Tenant, 7);
    const page = (Cursor: string, more: object = {}) =>
      readPage<Entry>(
        stack,
        'Audit_List',
        { Tenant, Page: { Limit: 3, Cursor }, ...more },
        ada.token,
      );
    const first = await page('');
    bodyOf(await save(Tenant, 'e'));
    await entriesWhenThere(Tenant, 8);
    const second = await page(first.NextCursor);
    const third = await page(second.NextCursor);
    assert.deepEqual([...first.Items, ...second.Items, ...third.Items], all);
    assert.deepEqual(
      all.map(({ Seq }) => Seq),
      [7, 6, 5, 4, 3, 2, 1],
    );
    assert.equal(third.NextCursor, '');
    for (const request of [
      { Tenant, Filter: { Result: 'success' } },
      { Tenant, Filter: { ActionPrefix: 'g' } },
      { Tenant, OldestFirst: true },
      { Tenant: await newTenant() },
    ]) {
      const answer = await stack.call(
        'Audit_List',
        { ...request, Page: { Cursor: first.NextCursor } },
        ada.token,
      );
      assertRefused(answer, 400, 'invalid_argument', ['Page.Cursor is not a cursor of this list']);
    }
  });

  test('Audit_List denies strangers and plain members, and shows the platform’s entries to the platform only', async () => {
    const { stack, ada, bob, newTenant, entriesWhenThere } = suite;
    const Tenant = await newTenant();
    assertRefused(await stack.call('Audit_List', { Tenant }, bob.token), 403, 'permission_denied');
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: bob.id }, stack.platformKey));
    assertRefused(await stack.call('Audit_List', { Tenant }, bob.token), 403, 'permission_denied');
    assert.ok((await entriesWhenThere(Tenant, 3, {}, stack.platformKey)).length >= 3);
    for (const { token } of [ada, bob])
      assertRefused(await stack.call('Audit_List', {}, token), 400, 'invalid_argument', [
        'Tenant is required',
      ]);
    const own = await entriesWhenThere(
      '',
      1,
      { Filter: { Actions: ['user.registered'], TargetIDs: [ada.id] } },
      stack.platformKey,
    );
    assert.ok(own.every((entry) => entry.Tenant === ''));
  });

  test('Audit_ListByUser shows users their own actions, and others the actions in their tenant', async () => {
    const { stack, ada, bob, newTenant, save } = suite;
    const [first, second] = [await newTenant(), await newTenant()];
    const eve = await signUp(stack);
    for (const Tenant of [first, second]) {
      bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: eve.id }, stack.platformKey));
      assertRefused(await save(Tenant, 'eng', eve.token), 403, 'permission_denied');
    }
    const list = (request: object, token: string) =>
      readList<Entry>(stack, 'Audit_ListByUser', { UserID: eve.id, ...request }, token, 1);
    const own = await eventually('the entries of her actions', async () => {
      const { items } = await list({}, eve.token);
      return (
        [first, second].every((tenant) => items.some(({ Tenant }) => Tenant === tenant)) &&
        items.some(({ Action }) => Action === 'user.signed_in') &&
        items
      );
    });
    assert.ok(own.every(({ ActorID }) => ActorID === eve.id));
    assert.deepEqual(
      own.map(({ ID }) => ID),
      own
        .map(({ ID }) => ID)
        .sort()
        .toReversed(),
    );
    assert.deepEqual(
      (await list({ Tenant: first }, ada.token)).items,
      own.filter(({ Tenant }) => Tenant === first),
    );
    assert.deepEqual((await list({}, stack.platformKey)).items, own);
    assertRefused(
      await stack.call('Audit_ListByUser', { UserID: eve.id, Tenant: first }, bob.token),
      403,
      'permission_denied',
    );
    for (const { token } of [ada, bob])
      assertRefused(
        await stack.call('Audit_ListByUser', { UserID: eve.id }, token),
        400,
        'invalid_argument',
        ['Tenant is required'],
      );
  });
});
