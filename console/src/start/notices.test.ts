import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noticesOf } from './notices.ts';

const now = Date.parse('2026-11-29T12:00:00Z');
const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString();
const of = (answers: object) =>
  noticesOf({ endpoints: {}, ...answers }, now).map(({ text, values, to }) => [
    text,
    'name' in values ? values.name : values.count,
    to,
  ]);
const endpoint = (ID: string, State: string, DisabledReason = '') => ({
  ID,
  Name: ID.toUpperCase(),
  Health: { State, FailingSince: inDays(-1) },
  DisabledReason,
});
/** One that its receiver has paused: no delivery has failed. */
const paused = (ID: string) => ({ ...endpoint(ID, 'paused'), Health: { State: 'paused' } });

test('nothing needs attention when all is well, or when nothing may be seen', () => {
  assert.deepEqual(of({}), []);
  assert.deepEqual(
    of({
      endpoints: { webhooks: [endpoint('a', 'delivering'), endpoint('b', 'off'), paused('c')] },
      bots: { ExpiringKeys: { Value: 0, HasMore: false } },
      providers: [
        { ID: 'p', Name: 'P', Active: true, Unconfirmed: false, CertificatesExpireAt: inDays(31) },
        { ID: 'q', Name: 'Q', Active: true, Unconfirmed: false },
      ],
      domains: [{ Name: 'acme.example', Status: 'verified' }],
      invitations: [{ ExpiresAt: inDays(3) }],
    }),
    [],
  );
});

test('each notice leads to the record that it is about', () => {
  assert.deepEqual(
    of({
      endpoints: {
        webhooks: [endpoint('whk_a', 'failing'), paused('whk_c'), endpoint('whk_b', 'off', 'gone')],
        chat: [endpoint('slk_a', 'paused')],
      },
      bots: { ExpiringKeys: { Value: 2, HasMore: false } },
      providers: [
        { ID: 'p', Name: 'P', Active: true, Unconfirmed: true, CertificatesExpireAt: inDays(3) },
        { ID: 'q', Name: 'Q', Active: false, Unconfirmed: false, CertificatesExpireAt: inDays(3) },
      ],
      domains: [
        { Name: 'a.example', Status: 'pending' },
        { Name: 'b.example', Status: 'lapsed' },
      ],
      invitations: [{ ExpiresAt: inDays(1) }, { ExpiresAt: inDays(6) }],
    }),
    [
      ['attention.failing', 'WHK_A', 'webhooks/whk_a'],
      ['attention.off', 'WHK_B', 'webhooks/whk_b'],
      ['attention.failing', 'SLK_A', 'chat/slk_a'],
      ['attention.unconfirmed', 'P', 'sso/p'],
      ['attention.certificate', 'P', 'sso/p'],
      ['attention.domain', 'a.example', 'domains'],
      ['attention.lapsed', 'b.example', 'domains'],
      ['attention.keys', 2, 'bots'],
      ['attention.invitations', 1, 'members/invitations'],
    ],
  );
});

test('many of a kind are one line', () => {
  const endpoints = ['a', 'b', 'c', 'd'].map((id) => endpoint(id, 'failing'));
  const domains = ['a', 'b', 'c', 'd'].map((Name) => ({ Name, Status: 'pending' }));
  assert.deepEqual(of({ endpoints: { webhooks: endpoints, chat: endpoints }, domains }), [
    ['attention.endpoints', 4, 'webhooks'],
    ['attention.channels', 4, 'chat'],
    ['attention.domains', 4, 'domains'],
  ]);
});
