import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, retryWhileBusy } from '../../support/answers.ts';
import type { DnsServer } from '../../support/dns-server.ts';
import { claim, letPass, newName, own, publish, verify } from '../../support/domains.ts';
import { type Answer, describeBoth, eventually } from '../../support/harness.ts';
import { eventsOf, eventTypesOf, rowsOf } from '../../support/store.ts';
import { type Proofs, startProofs } from './domain-proof-calls.ts';

describeBoth('the proof of domains', (topology) => {
  let suite: Proofs;
  before(async () => {
    suite = await startProofs(topology);
  });
  after(() => suite?.stop());

  test('Domain_Verify finds the record among others, and publishes an event', async () => {
    const { stack, dns, token, newTenant, again, read } = suite;
    const Tenant = await newTenant();
    const domain = await claim(stack, Tenant, token, { Name: `${newName('')}bücher.example` });
    publish(dns, domain);
    const verified = await verify(stack, domain, token);
    const { VerifiedAt = '', LastCheckedAt = '' } = verified;
    assert.ok(
      Date.parse(VerifiedAt) >= Date.parse(domain.CreatedAt) && LastCheckedAt === VerifiedAt,
    );
    assert.deepEqual(verified, { ...domain, Status: 'verified', VerifiedAt, LastCheckedAt });
    assert.deepEqual(await read(domain), verified);
    const event = (await eventsOf(stack, 'sso', Tenant)).at(-1);
    assert.deepEqual([event?.type, event?.data], ['domain.verified', verified]);
    assert.deepEqual(event?.previous, { Status: 'pending', VerifiedAt: null, LastCheckedAt: null });
    // A second verification is no change: no event, and VerifiedAt stays.
    assert.equal((await again(domain)).VerifiedAt, VerifiedAt);
    assert.deepEqual(await eventTypesOf(stack, 'sso', Tenant), [
      'domain.created',
      'domain.verified',
    ]);
  });

  test('Domain_Verify joins the strings of a long TXT record, reads large answers over TCP, and follows a CNAME', async () => {
    const { stack, dns, token, newTenant } = suite;
    const Tenant = await newTenant();
    const crowded = await claim(stack, Tenant, token);
    dns.set(crowded.TxtName, {
      txt: [
        ...Array.from({ length: 30 }, (_, index) => `${index} ${'x'.repeat(300)}`),
        crowded.TxtValue,
      ],
    });
    assert.equal((await verify(stack, crowded, token)).Status, 'verified');
    const elsewhere = await claim(stack, Tenant, token);
    dns.set(elsewhere.TxtName, { cname: 'proofs.example', txt: [elsewhere.TxtValue] });
    assert.equal((await verify(stack, elsewhere, token)).Status, 'verified');
  });

  test('Domain_Verify without the record leaves the domain pending, reports the records found, and publishes an event', async () => {
    const { stack, dns, token, newTenant, again } = suite;
    const Tenant = await newTenant();
    const domain = await claim(stack, Tenant, token);
    const { TxtName, TxtValue } = domain;
    const reasonWhen = async (zone?: Parameters<DnsServer['set']>[1]) => {
      if (zone) dns.set(TxtName, zone);
      const { Status, FailureReason } = await again(domain);
      assert.equal(Status, 'pending');
      return FailureReason;
    };
    assert.equal(await reasonWhen(), `there is no ${TxtName} in DNS`);
    assert.equal(await reasonWhen({ addresses: ['192.0.2.1'] }), `${TxtName} has no TXT record`);
    assert.equal(
      await reasonWhen({ txt: ['v=spf1 -all'] }),
      `${TxtName} has a TXT record, but its value is not the right one: found "v=spf1 -all"`,
    );
    assert.match(
      await reasonWhen({ txt: ['a', TxtValue.toUpperCase()] }),
      /has 2 TXT records, but none has the right value: found "a"$/,
    );
    for (const code of [2, 5])
      assert.equal(
        await reasonWhen({ code }),
        `the DNS servers gave no answer for ${TxtName}: try again later`,
      );
    const events = (await eventsOf(stack, 'sso', Tenant)).filter(
      ({ type }) => type === 'domain.verification_failed',
    );
    assert.equal(events.length, 6);
    assert.equal(events[0]?.data['FailureReason'], `there is no ${TxtName} in DNS`);
    publish(dns, domain);
    const { Status, FailureReason } = await again(domain);
    assert.deepEqual([Status, FailureReason], ['verified', '']);
  });

  test('Domain_Verify stops waiting for a silent server in time, and does not count it against the domain', async () => {
    const { stack, dns, token, newTenant } = suite;
    const domain = await claim(stack, await newTenant(), token);
    dns.set(domain.TxtName, { delayMs: 60_000 });
    const started = Date.now();
    assert.match((await verify(stack, domain, token)).FailureReason, /gave no answer/);
    assert.ok(Date.now() - started < 12_000, `${Date.now() - started} ms`);
  });

  test('Domain_Verify lookups up a name at most once a minute, for concurrent calls and for a new claim of the name too', async () => {
    const { stack, dns, token, newTenant, tryToVerify } = suite;
    const domain = await claim(stack, await newTenant(), token);
    const lookups = () => dns.queries.filter((name) => name === domain.TxtName).length;
    const refusedIn = (answers: readonly Answer[]) =>
      answers.filter(({ status }) => status === 429);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => retryWhileBusy(() => tryToVerify(domain))),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(refusedIn(answers).length, 19);
    for (const { body, headers } of refusedIn(answers)) {
      assert.deepEqual(
        [body.Code, body.Messages],
        ['resource_exhausted', ['a domain is looked up at most once a minute, try again later']],
      );
      const seconds = Number(headers.get('retry-after'));
      assert.ok(seconds > 40 && seconds <= 60, String(seconds));
    }
    assert.equal(lookups(), 1);
    await stack.call('Domain_Delete', { Tenant: domain.Tenant, ID: domain.ID }, token);
    assert.equal(
      (await tryToVerify(await claim(stack, domain.Tenant, token, { Name: domain.Name }))).status,
      429,
    );
    assert.equal(lookups(), 1);
  });

  test('Domain_Verify by several tenants that prove one name at once succeeds for one, and discloses to the others only that the name is taken', async () => {
    const { stack, dns, token, newTenant, again } = suite;
    for (let round = 0; round < 5; round++) {
      const Name = newName();
      const claims = await Promise.all(
        [newTenant(), newTenant(), newTenant()].map(async (tenant) =>
          claim(stack, await tenant, token, { Name }),
        ),
      );
      dns.set(`_bailiwick-challenge.${Name}`, { txt: claims.map(({ TxtValue }) => TxtValue) });
      const after = await Promise.all(claims.map((domain) => verify(stack, domain, token)));
      const [winner, ...others] = after.filter(({ Status }) => Status === 'verified');
      assert.ok(winner && others.length === 0);
      const losers = after.filter((domain) => domain !== winner);
      for (const loser of losers) {
        assert.deepEqual([loser.Status, loser.VerifiedAt], ['pending', undefined]);
        assert.equal(
          loser.FailureReason,
          'the record was found, but another organisation has verified this domain: it must delete the domain first',
        );
      }
      const [loser] = losers;
      assert.ok(loser);
      await stack.call('Domain_Delete', { Tenant: winner.Tenant, ID: winner.ID }, token);
      assert.equal((await again(loser)).Status, 'verified');
    }
  });

  test('Domain_Verify accepts no challenge of another tenant', async () => {
    const { stack, dns, token, newTenant } = suite;
    const Name = newName();
    const [mine, tsuccessors] = [
      await claim(stack, await newTenant(), token, { Name }),
      await claim(stack, await newTenant(), token, { Name }),
    ];
    publish(dns, mine);
    assert.equal((await verify(stack, tsuccessors, token)).Status, 'pending');
    assert.equal((await verify(stack, mine, token)).Status, 'verified');
  });

  test('Domain_Verify of a claim older than seven days fails, even before the sweeper marks it, and issues another challenge', async () => {
    const { stack, dns, token, newTenant, again } = suite;
    const Tenant = await newTenant();
    const domain = await claim(stack, Tenant, token);
    publish(dns, domain);
    await letPass(stack, domain, 'challenge_expires_at');
    const renewed = await verify(stack, domain, token);
    assert.equal(renewed.Status, 'pending');
    assert.equal(
      renewed.FailureReason,
      'the challenge had expired: publish the new TxtValue, and verify the domain again',
    );
    assert.notEqual(renewed.TxtValue, domain.TxtValue);
    assert.ok(Date.parse(renewed.ChallengeExpiresAt) > Date.now() + 6.9 * 86_400_000);
    assert.match((await again(domain)).FailureReason, /none has the right value/);
    publish(dns, renewed);
    assert.equal((await again(domain)).Status, 'verified');
  });

  test('a purged tenant leaves no domain behind', async () => {
    const { stack, dns, token, newTenant } = suite;
    const Tenant = await newTenant();
    const domain = await own(stack, dns, Tenant, token);
    await rowsOf(stack, `insert into sso.sso_lift (tenant, until) values ($1, now())`, [Tenant]);
    assert.equal((await stack.call('Tenants_Delete', { Tenant }, token)).status, 200);
    await eventually(
      'the purge',
      async () =>
        (
          await rowsOf(
            stack,
            'select 1 from sso.domain where id = $1 union select 1 from sso.sso_lift where tenant = $2',
            [domain.ID, Tenant],
          )
        ).length === 0,
    );
  });

  test('Domain_Verify accepts a name that another tenant had verified before', async () => {
    const { stack, dns, token, newTenant, tryToVerify, again } = suite;
    const domain = await own(stack, dns, await newTenant(), token);
    await stack.call('Domain_Delete', { Tenant: domain.Tenant, ID: domain.ID }, token);
    const next = await claim(stack, await newTenant(), token, { Name: domain.Name });
    assert.equal(
      (await verify(stack, next, token)).Status,
      'pending',
      'the record belongs to the previous tenant',
    );
    publish(dns, next);
    assert.equal((await again(next)).Status, 'verified');
    assertRefused(await tryToVerify(domain), 400, 'not_found');
  });
});
