import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Translate } from '../parts/texts.tsx';
import { actionsOf, suggest } from './suggestions.ts';

const now = Date.parse('2026-11-29T12:00:00Z');
const t: Translate = (key, values = {}) => [key, ...Object.values(values)].join(' ');
const filtersOf = (text: string, people: Array<{ id: string; name: string }> = []) =>
  suggest(text, people, actionsOf('tnt_1'), t, now).map(({ filter }) => filter);

test('without a text the search offers periods and results', () => {
  assert.deepEqual(filtersOf(''), [
    { from: '2026-11-29T11:00:00.000Z' },
    { from: '2026-11-28T12:00:00.000Z' },
    { from: '2026-11-22T12:00:00.000Z' },
    { from: '2026-10-30T12:00:00.000Z' },
    { result: 'success' },
    { result: 'denied' },
    { result: 'failed' },
  ]);
});

test('a part of a name offers people and actions', () => {
  assert.deepEqual(filtersOf('member_add', [{ id: 'usr_1', name: 'Ada' }]), [
    { actor: 'usr_1' },
    { action: 'group.member_added' },
    { action: 'tenant.member_added' },
  ]);
  assert.ok(filtersOf('group').some(({ action }) => action === 'group.'));
});

test('an ID, an address, a day and an operation are known by their form', () => {
  assert.deepEqual(filtersOf('usr_01m8kjqz'), [
    { actor: 'usr_01m8kjqz' },
    { target: 'usr_01m8kjqz' },
  ]);
  assert.deepEqual(filtersOf('192.0.2.1'), [{ ip: '192.0.2.1' }]);
  assert.deepEqual(filtersOf('2001:db8::1'), [{ ip: '2001:db8::1' }]);
  assert.deepEqual(filtersOf('Groups_'), [{ operation: 'Groups_' }]);
  assert.deepEqual(
    filtersOf('2026-11-20').map((filter) => Object.keys(filter)),
    [['from'], ['to']],
  );
  assert.deepEqual(filtersOf('2026-99-99'), []);
});

test('the actions of accounts are offered in the audit of the platform only', () => {
  const of = (tenant?: string) =>
    suggest('user.disabled', [], actionsOf(tenant), t, now).map(({ filter }) => filter);
  assert.deepEqual(of(), [{ action: 'user.disabled' }]);
  assert.deepEqual(of('tnt_1'), []);
});
