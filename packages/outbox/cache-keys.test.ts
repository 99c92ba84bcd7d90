import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheKeysOf } from './cache-keys.ts';

const tenant = 'tnt_1';
const target = (Type: string, ID: string) => ({ Type, ID, Name: '' });
const keysOf = (
  type: string,
  targets: Array<ReturnType<typeof target>> = [],
  details: object = {},
) => cacheKeysOf({ tenant, type, data: details as Record<string, unknown>, targets });

test('a change invalidates the keys of the records that lose or gain rights by it', () => {
  const member = [target('user', 'usr_1'), target('role', 'editor')];
  assert.deepEqual(keysOf('grant.added', member), ['user:usr_1']);
  assert.deepEqual(keysOf('bot_grant.removed', [target('bot', 'bot_1')]), ['bot:bot_1']);
  // The holders of a role and the members of a group are not known here.
  assert.deepEqual(keysOf('group_grant.removed', [target('group', 'grp_1')]), ['tenant:tnt_1']);
  assert.deepEqual(keysOf('role.updated', [target('role', 'rol_1')]), ['tenant:tnt_1']);
  const group = [target('group', 'grp_1'), target('user', 'usr_1')];
  assert.deepEqual(keysOf('group.member_removed', group), ['user:usr_1']);
  assert.deepEqual(keysOf('session.revoked', [target('session', 'ses_1')]), ['credential:ses_1']);
  const use = [target('oauth_app', 'app_1'), target('user', 'usr_1')];
  assert.deepEqual(keysOf('oauth_app.access_withdrawn', use), ['use:usr_1:app_1']);
  const portal = [target('webhook_portal', 'wpt_1'), target('webhook_endpoint', 'whk_1')];
  assert.deepEqual(keysOf('webhook_portal.closed', portal), ['credential:wpt_1']);
  const endpoint = [target('webhook_endpoint', 'whk_1')];
  for (const verb of ['updated', 'disabled', 'deleted', 'secret_rotated'])
    assert.deepEqual(keysOf(`webhook_endpoint.${verb}`, endpoint), ['credential:whk_1']);
});

test('a rotation invalidates the key that was replaced, and not the new one', () => {
  const targets = [target('bot_key', 'bky_2'), target('bot', 'bot_1')];
  const keys = keysOf('bot_key.rotated', targets, { ID: 'bky_2', RotatedFrom: 'bky_1' });
  assert.deepEqual(keys, ['credential:bky_1']);
});

test('an event of an application invalidates nothing, and an unknown type of ours throws', () => {
  const targets = [target('user', 'usr_1')];
  assert.deepEqual(keysOf('order.paid', targets), []);
  assert.deepEqual(keysOf('constructor.name', targets), []);
  assert.deepEqual(keysOf('webhook_portal.painted', [target('event', '')]), []);
  assert.throws(() => keysOf('user.renamed', targets), /does not name the event user\.renamed/);
  assert.throws(() => keysOf('user.constructor', targets), /does not name/);
});

test('an event that is written without a transaction of its call invalidates nothing', () => {
  // Its statement records the sign-in at once, and no key is given to a reply that waits.
  for (const type of ['user.signed_in', 'oauth_app.signed_in'])
    assert.deepEqual(keysOf(type, [target('user', 'usr_1'), target('oauth_app', 'app_1')]), []);
});
