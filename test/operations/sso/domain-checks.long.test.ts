import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addProvider, claim, letPass, own, publish, verify } from '../../support/domains.ts';
import { describeOne } from '../../support/harness.ts';
import { eventsOf, eventTypesOf, rowsOf } from '../../support/store.ts';
import { type Proofs, startProofs } from './domain-proof-calls.ts';

// The daily check of verified domains, and the end of claims.
describeOne('the checks of domains', 'one process', (topology) => {
  let suite: Proofs;
  before(async () => {
    suite = await startProofs(topology);
  });
  after(() => suite?.stop());

  test('a claim older than seven days fails on its own, once, and can be verified with another challenge', async () => {
    const { stack, dns, token, newTenant, again, becomes } = suite;
    const Tenant = await newTenant();
    const domain = await claim(stack, Tenant, token);
    await letPass(stack, domain, 'challenge_expires_at');
    await becomes(domain, 'the failed claim', ({ Status }) => Status === 'failed');
    const events = (await eventsOf(stack, 'sso', Tenant)).filter(
      ({ type }) => type === 'domain.verification_failed',
    );
    assert.deepEqual(
      events.map(({ actor, previous }) => ({ actor, previous })),
      [{ actor: { type: 'system', id: 'sso' }, previous: { Status: 'pending' } }],
    );
    const renewed = await verify(stack, domain, token);
    assert.deepEqual([renewed.Status, renewed.TxtValue === domain.TxtValue], ['pending', false]);
    publish(dns, renewed);
    assert.equal((await again(domain)).Status, 'verified');
  });

  test('a domain without its record for three days lapses, redirects no sign-in, and is verified again with the record', async () => {
    const { stack, dns, token, newTenant, failedDaysOf, nextDay } = suite;
    const Tenant = await newTenant();
    const domain = await own(stack, dns, Tenant, token);
    const provider = await addProvider(stack, Tenant);
    const redirect = async () =>
      (await stack.call('Sso_Check', { Email: `a@${domain.Name}` })).body['Redirect'];
    assert.equal(await redirect(), `${stack.url}/auth/${Tenant}/${provider}/login`);
    dns.set(domain.TxtName, { txt: ['something else'] });
    for (const day of [1, 2]) {
      assert.equal((await nextDay(domain)).Status, 'verified');
      assert.equal(await failedDaysOf(domain), day);
    }
    const lapsed = await nextDay(domain);
    assert.equal(lapsed.Status, 'lapsed');
    assert.match(lapsed.FailureReason, /not the right one/);
    assert.equal(await redirect(), '');
    assert.equal((await nextDay(domain)).Status, 'lapsed');
    publish(dns, domain);
    const back = await nextDay(domain);
    assert.deepEqual(
      [back.Status, back.FailureReason, await failedDaysOf(domain)],
      ['verified', '', 0],
    );
    assert.ok(Date.parse(back.VerifiedAt ?? '') > Date.parse(lapsed.VerifiedAt ?? ''));
    assert.notEqual(await redirect(), '');
    const expected = [
      'created',
      'verified',
      'verification_failed',
      'verification_failed',
      'lapsed',
      'verified',
    ].map((verb) => `domain.${verb}`);
    assert.deepEqual(await eventTypesOf(stack, 'sso', Tenant), expected);
  });

  test('only consecutive failed days count: a day or a call that finds the record resets the count', async () => {
    const { stack, dns, token, newTenant, again, failedDaysOf, failFor, nextDay } = suite;
    const domain = await own(stack, dns, await newTenant(), token);
    for (const check of [nextDay, again]) {
      await failFor(domain, 2);
      publish(dns, domain);
      assert.equal((await check(domain)).Status, 'verified');
      assert.equal(await failedDaysOf(domain), 0);
    }
    // A call that does not find the record does not count as a day: three calls do not cost the
    // domain.
    dns.set(domain.TxtName, { txt: [] });
    for (let time = 0; time < 4; time++) assert.equal((await again(domain)).Status, 'verified');
    assert.equal(await failedDaysOf(domain), 0);
  });

  test('a DNS server that fails, refuses or is silent does not make a domain lapse', async () => {
    const { stack, dns, token, newTenant, failedDaysOf, failFor, nextDay } = suite;
    const domain = await own(stack, dns, await newTenant(), token);
    await failFor(domain, 2);
    for (const zone of [{ code: 2 }, { code: 5 }, { delayMs: 60_000 }]) {
      dns.set(domain.TxtName, zone);
      const { Status, FailureReason } = await nextDay(domain);
      assert.equal(Status, 'verified');
      assert.match(FailureReason, /gave no answer/);
    }
    assert.equal(await failedDaysOf(domain), 2);
    const [row] = await rowsOf<{ soon: boolean }>(
      stack,
      `select next_check_at < now() + interval '2 hours' as soon from sso.domain where id = $1`,
      [domain.ID],
    );
    assert.equal(row?.soon, true, 'the next check is in less than a day');
  });

  test('a lapsed domain that another tenant has verified stays lapsed until that tenant deletes it', async () => {
    const { stack, dns, token, newTenant, again, failFor, nextDay } = suite;
    const domain = await own(stack, dns, await newTenant(), token);
    await failFor(domain, 2);
    assert.equal((await nextDay(domain)).Status, 'lapsed');
    const successor = await claim(stack, await newTenant(), token, { Name: domain.Name });
    dns.set(domain.TxtName, { txt: [domain.TxtValue, successor.TxtValue] });
    assert.equal((await verify(stack, successor, token)).Status, 'verified');
    for (const check of [nextDay, again]) {
      const { Status, FailureReason } = await check(domain);
      assert.equal(Status, 'lapsed');
      assert.match(FailureReason, /another organisation has verified/);
    }
    await stack.call('Domain_Delete', { Tenant: successor.Tenant, ID: successor.ID }, token);
    assert.equal((await nextDay(domain)).Status, 'verified');
  });

  test('a check that was not finished is done by the next process', async () => {
    const { stack, dns, token, newTenant, becomes } = suite;
    const domain = await own(stack, dns, await newTenant(), token);
    // As a process leaves the domain that is killed while it waits for DNS.
    await rowsOf(
      stack,
      `update sso.domain set next_check_at = now() + interval '3 seconds', failed_days = 2 where id = $1`,
      [domain.ID],
    );
    dns.set(domain.TxtName, { txt: [] });
    await becomes(domain, 'the check', ({ Status }) => Status === 'lapsed');
  });
});
