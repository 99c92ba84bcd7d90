import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { isOwnFamily, types } from '@bailiwick/notifications/events/catalogue.ts';
import { cacheKeysOf } from '@bailiwick/outbox';
import ts from 'typescript';
import { nodesIn, root } from '../support/parsing.ts';

/** Audited actions that are not events. */
const auditOnly = [
  'access.denied',
  'audit.exported',
  'bot.token_issued',
  'bot.token_refused',
  'chat_endpoint.replayed',
  'chat_endpoint.tested',
  'mail_suppression.created',
  'mail_suppression.deleted',
  'oauth_app.access_withdrawn',
  'oauth_app.code_reused',
  'oauth_app.refresh_repeated',
  'oauth_app.refresh_token_reused',
  'oauth_app.sign_in_refused',
  'oauth_app.signed_in',
  'oauth_app.signed_out',
  'session.code_issued',
  'session.step_up_begun',
  'sso_provider.reserved',
  'user.code_requested',
  'user.email_change_requested',
  'user.factor_begun',
  'user.identity_confirmed',
  'user.identity_linked',
  'user.identity_removed',
  'user.passkey_cloned',
  'user.passkey_refused',
  'user.passkey_renamed',
  'user.password_reset_requested',
  'user.registration_repeated',
  'user.sign_in_failed',
  'user.sign_ins_voided',
  'user.verification_resent',
  'webhook_endpoint.replayed',
  'webhook_endpoint.tested',
];
/** Types that the code composes of two strings, so the search cannot find them. */
const composed = ['grant', 'group_grant', 'bot_grant'].flatMap((name) => [
  `${name}.added`,
  `${name}.removed`,
]);
/** A type that is sent to one endpoint and not recorded as a change. */
const unrecorded = ['endpoint.ping'];
/** An event of oidc-provider, and not of ours. */
const others = ['grant.revoked'];

/** The texts in the services and packages that have the form of our types. */
function typesInCode(): string[] {
  const files = globSync(['services/**/*.ts', 'packages/!(contract)/**/*.ts'], {
    cwd: root,
    exclude: (name) => /node_modules|[/]gen$|[.]test[.]ts$/.test(name),
  });
  assert.ok(files.length > 100);
  const texts = files
    .filter((file) => !file.endsWith('events/catalogue.ts') && !file.endsWith('queries.ts'))
    .flatMap((file) => nodesIn(file).filter(ts.isStringLiteralLike))
    .map(({ text }) => text);
  return [...new Set(texts)].filter(
    (text) => /^[a-z_]+[.][a-z_]+$/.test(text) && isOwnFamily(text),
  );
}

test('the event catalogue lists exactly the event types that the services use', () => {
  const typesUsed = typesInCode();
  assert.deepEqual(
    typesUsed
      .filter((type) => !types.has(type) && ![...auditOnly, ...others].includes(type))
      .sort(),
    [],
  );
  assert.deepEqual(
    [...types.keys()]
      .filter((type) => !typesUsed.includes(type) && !composed.includes(type))
      .sort(),
    [],
  );
  assert.deepEqual(
    [...auditOnly, ...unrecorded].filter((type) => !typesUsed.includes(type)),
    [],
  );
});

test('the table of cache keys names every type that is recorded', () => {
  const recorded = typesInCode().filter((type) => !others.includes(type));
  for (const type of [...recorded, ...composed])
    assert.doesNotThrow(() => cacheKeysOf({ tenant: '', type, data: null, targets: [] }), type);
});
