import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createQuotas } from './quotas.ts';

const session = { type: 'user', credentialId: 'ses_1' };

test('a session over its quota is limited until the minute ends, and other sessions are not', () => {
  let now = 0;
  const quotas = createQuotas({ user: 3, bot: 0, tenant: 0 }, () => now);
  const quota = { name: 'session', limit: 3, windowSeconds: 60 };
  for (const remaining of [2, 1, 0])
    assert.deepEqual(quotas.take(session), {
      ...quota,
      remaining,
      resetSeconds: 60,
      exceeded: false,
    });
  now = 20_000;
  assert.deepEqual(quotas.take(session), {
    ...quota,
    remaining: 0,
    resetSeconds: 40,
    exceeded: true,
  });
  assert.equal(quotas.take({ type: 'user', credentialId: 'ses_2' })?.exceeded, false);
  assert.equal(quotas.take({ type: 'bot', credentialId: 'bky_1' }), undefined, 'no quota');
  now = 60_000;
  assert.equal(quotas.take(session)?.exceeded, false);
});

const caller = (tenant: string, permissions = Uint8Array.of(0, 1)) => ({ tenant, permissions });

test('a tenant has its own quota, and without one nothing is counted', () => {
  const quotas = createQuotas({ user: 0, bot: 0, tenant: 2 });
  for (let call = 0; call < 100; call++) quotas.take(session);
  for (const tenant of ['tnt_1', 'tnt_1', 'tnt_2']) quotas.takeTenant(caller(tenant));
  assert.throws(() => quotas.takeTenant(caller('tnt_1')), { code: 'resource_exhausted' });
  const off = createQuotas({ user: 0, bot: 0, tenant: 0 });
  for (let call = 0; call < 100; call++) off.takeTenant(caller('tnt_1'));
});

test('a caller without permissions in a tenant uses none of its quota', () => {
  const quotas = createQuotas({ user: 0, bot: 0, tenant: 2 });
  for (const nothing of [Uint8Array.of(), Uint8Array.of(0, 0)])
    for (let call = 0; call < 100; call++) quotas.takeTenant(caller('tnt_1', nothing));
  quotas.takeTenant(caller('tnt_1'));
});
