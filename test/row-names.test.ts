import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowOf as access } from '@bailiwick/access/rows.ts';
import { rowOf as identity } from '@bailiwick/identity/rows.ts';
import { rowOf as notifications } from '@bailiwick/notifications/rows.ts';
import { rowOf as sso } from '@bailiwick/sso/rows.ts';

type Table = Record<string, (...parts: never[]) => string>;

/** Each name of a table, made of the parts `a`, `b` and `c`. */
const namesOf = (table: Table): string[] =>
  Object.values(table).map((name) => name(...(['a', 'b', 'c'] as never[])));

// Two versions run beside each other during an upgrade. If one of them locks another name, both
// change the same row at once.
test('each version locks the same names', () => {
  const { identity: link, ...others } = identity;
  const parts = { tenant: 'a', provider: 'b', issuer: 'c', subject: 'd' };
  assert.equal(link(parts), 'identity ["a","b","c","d"]');
  assert.deepEqual([access, others, notifications, sso].map(namesOf), [
    [
      'a b c',
      'group a b',
      'first operator',
      'invitation a b',
      'invitation a',
      'user a b',
      'plan a',
      'role a b',
      'subject a',
      'tenant a',
      'tenants of a',
    ],
    [
      'account a',
      'bot a b',
      'bot a',
      'code a',
      'import',
      'bot_key a b',
      'keys of a',
      'provider a b',
      'lock_receipt a',
      'registration a',
      'reset a',
      'reset token a',
      'bot_trust a b',
      'trusts of a',
      'user a',
    ],
    [
      'endpoint a b',
      'a_endpoint b',
      'event a b',
      'portal a b',
      'published_event a b',
      'rotate endpoint a b',
    ],
    [
      'app a b',
      'app a',
      'domain a b',
      'domain a',
      'sso_provider a b',
      'sso_provider a',
      'save sso_provider a b',
      'requirement a',
      'signing keys',
    ],
  ]);
});
