import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { types } from '@bailiwick/notifications/events/catalogue.ts';

const root = join(import.meta.dirname, '../..');
// The console is no dependency of the tests.
const { generalActions, sayings } = (await import(
  join(root, 'console/src/parts/audit-actions.ts')
)) as { generalActions: ReadonlySet<string>; sayings: ReadonlyMap<string, unknown> };

// The console says every action of the audit as a sentence.

/** Strings in the form of an action that are fields, or events of a library. */
const notActions = new Set([
  'access.subject',
  'bot.name',
  'bot_key.allowed_ip',
  'bot_trust.audience',
  'bot_trust.bot',
  'bot_trust.claims',
  'bot_trust.issuer',
  'bot_trust.subject',
  'domain.default_role',
  'endpoint.event_types',
  'grant.revoked',
  'tenant.allowed_methods',
  'tenant.default_role',
  'tenant.invite_domains',
  'tenant.scim_group_parent',
]);

/** The actions that the code of the services and of the pipeline names. */
function writtenActions(): string[] {
  const families = new Set([...sayings.keys(), ...generalActions].map((one) => one.split('.')[0]));
  const files = globSync('{services/*,packages/pipeline}/**/*.ts', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  }).filter((file) => !/queries\.ts$|\.test\.ts$/.test(file));
  const strings = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/'([a-z_]+)\.([a-z_]+)'/g)].flatMap(
      ([, family = '', verb]) => (families.has(family) ? [`${family}.${verb}`] : []),
    ),
  );
  return [...new Set(strings)].filter((one) => !notActions.has(one)).sort();
}

test('every action of the audit has a sentence or is one of those that are said in general', () => {
  const actions = [...new Set([...types.keys(), ...writtenActions()])];
  assert.ok(actions.includes('oauth_app.access_withdrawn') && actions.includes('access.denied'));
  const silent = actions.filter((one) => !sayings.has(one) && !generalActions.has(one));
  assert.deepEqual(silent, []);
  const both = [...generalActions].filter((one) => sayings.has(one));
  assert.deepEqual(both, []);
});

test('the sentences are of actions that exist', () => {
  const actions = new Set([...types.keys(), ...writtenActions()]);
  const unknown = [...sayings.keys(), ...generalActions].filter((one) => !actions.has(one));
  assert.deepEqual(unknown, []);
});
