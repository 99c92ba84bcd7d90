import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { revokersOf } from '@bailiwick/broker';
import type { Host, RightsKey } from '@bailiwick/contract';
import { isOwnFamily } from '@bailiwick/notifications/events/catalogue.ts';
import { cacheKeysOf } from '@bailiwick/outbox';
import ts from 'typescript';
import { nodesIn, root } from './support/parsing.ts';

// A cached value is used only while its holder follows the logs of all services that can revoke one
// of its keys (revokersOf). Here: the keys of each service's events.

const hosts: readonly Host[] = ['identity', 'access', 'sso', 'notifications'];

/** Records of each type that an event can name. */
const targets = Object.entries({
  user: 'usr_1',
  bot: 'bot_1',
  oauth_app: 'app_1',
  session: 'ses_1',
  bot_key: 'bky_1',
  bot_trust: 'btr_1',
  webhook_portal: 'wpt_1',
  webhook_endpoint: 'whk_1',
}).map(([Type, ID]) => ({ Type, ID, Name: '' }));

/** An event of oidc-provider, and not of ours. */
const others = ['grant.revoked'];

/** Whether a node is the key of an entry of a map, which tells what follows from an event. */
const isKeyOfMap = (node: ts.Node): boolean =>
  ts.isArrayLiteralExpression(node.parent) &&
  node.parent.elements[0] === node &&
  ts.isArrayLiteralExpression(node.parent.parent) &&
  ts.isNewExpression(node.parent.parent.parent);

/** Whether a type is compared, or followed: another service records it. */
const isFollowed = (node: ts.Node): boolean => {
  const { parent } = node;
  return (
    ts.isBinaryExpression(parent) ||
    isKeyOfMap(node) ||
    (ts.isArrayLiteralExpression(parent) &&
      ts.isPropertyAssignment(parent.parent) &&
      parent.parent.name.getText() === 'types')
  );
};

/** The types of the events that the code of a service records. */
function typesOf(host: Host): string[] {
  const files = globSync(`services/${host}/**/*.ts`, {
    cwd: root,
    exclude: (name) => /node_modules|[.]test[.]ts$|queries[.]ts$|catalogue[.]ts$/.test(name),
  });
  const texts = files
    .flatMap((file) => nodesIn(file).filter(ts.isStringLiteralLike))
    .filter((node) => !isFollowed(node))
    .map(({ text }) => text);
  return [...new Set(texts)].filter(
    (text) => /^[a-z_]+[.][a-z_]+$/.test(text) && isOwnFamily(text) && !others.includes(text),
  );
}

/** The keys that the events of a service revoke, beside those that `revokersOf` expects of it. */
function unexpectedOf(host: Host, types: readonly string[]): RightsKey[] {
  const data = { RotatedFrom: 'bky_0' };
  const keys = types.flatMap((type) => cacheKeysOf({ tenant: 'tnt_1', type, data, targets }));
  return [...new Set(keys)].filter((key) => !revokersOf(key).includes(host));
}

test('each service revokes only keys whose values follow its log', () => {
  for (const host of hosts) {
    const types = typesOf(host);
    assert.ok(types.length > 5, host);
    assert.deepEqual(unexpectedOf(host, types), [], host);
  }
});

test('the comparison finds an event in a service that no value follows', () => {
  assert.deepEqual(unexpectedOf('sso', ['user.updated']), ['user:usr_1']);
});
