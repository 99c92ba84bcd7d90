import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppSignOutSchema } from '@bailiwick/proto/gen/bailiwick/sso/v1/sign_outs_pb.ts';
import { create } from '@bufbuild/protobuf';
import { appRows, cacheRow, rowOfSignOut } from './rows.ts';

const now = new Date('2026-01-31T12:30:00.000Z');

test('only a process that has said so is a row that dropped the user', () => {
  const rowOf = (state: 'dropped' | 'ended' | 'waited') =>
    cacheRow(
      {
        holder: 'one',
        state,
        name: 'bailiwick-gateway',
        kind: 'cache',
        followers: 3,
        followersWaited: 0,
      },
      now,
    );
  const { state, name, followers, endsAt } = rowOf('dropped');
  assert.deepEqual([state, name, followers, endsAt], ['dropped', 'gateway', 3, null]);
  for (const silent of ['ended', 'waited'] as const)
    assert.deepEqual([rowOf(silent).state, rowOf(silent).endsAt], ['ends', now]);
});

test('the session of an app is accepted only after its answer, and unknown without an address', () => {
  const states = { waiting: 'waiting', retry: 'waiting', accepted: 'accepted', failed: 'failed' };
  for (const [state, shown] of Object.entries({
    ...states,
    not_notified: 'unknown',
    newer: 'unknown',
  }))
    assert.equal(rowOfSignOut(create(AppSignOutSchema, { state }), now).state, shown, state);
});

test('the tokens of an app end after their longest lifetime and a minute for clocks', () => {
  const signOut = create(AppSignOutSchema, {
    app: 'app_1',
    tokenSeconds: 300,
    state: 'not_notified',
  });
  const token = appRows(signOut, now).find(({ kind }) => kind === 'token');
  assert.equal(String(token?.endsAt), String(new Date(now.getTime() + 360_000)));
});
