import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, recordIn, retryWhileBusy } from '../support/answers.ts';
import { type DnsServer, startDns } from '../support/dns-server.ts';
import {
  addProvider,
  claim,
  type Domain,
  letPass,
  newName,
  own,
  publish,
  verify,
  waitAMinute,
} from '../support/domains.ts';
import {
  type Answer,
  describeBoth,
  eventually,
  type Stack,
  startStack,
} from '../support/harness.ts';
import { signUp, tenantFor } from '../support/people.ts';
import { eventsOf, eventTypesOf, rowsOf } from '../support/store.ts';

// Domains are verified against a real DNS server whose answers the test sets.

describeBoth('the proof of domains', (topology) => {
  let stack: Stack;
  let dns: DnsServer;
  let id: string;
  let token: string;
  before(async () => {
    dns = await startDns();
    stack = await startStack(topology, {
      BAILIWICK_DNS_RESOLVERS: dns.address,
      BAILIWICK_TENANT_GRACE_SECONDS: '4',
    });
    ({ id, token } = await signUp(stack));
  });
  after(async () => {
    await stack?.stop();
    await dns?.stop();
  });

  const newTenant = async () => tenantFor(stack, id);
  const tryToVerify = ({ Tenant, ID }: Domain) =>
    stack.call('Domain_Verify', { Tenant, ID }, token);
  const again = async (domain: Domain) => {
    await waitAMinute(stack, domain);
    return verify(stack, domain, token);
  };
  const read = async ({ Tenant, ID }: Domain) =>
    recordIn(await stack.call('Domain_Get', { Tenant, ID }, token), 'Domain') as Domain;
  const becomes = (domain: Domain, what: string, is: (now: Domain) => boolean) =>
    eventually(what, async () => {
      const now = await read(domain);
      return is(now) && now;
    });
  const failedDaysOf = async ({ ID }: Domain) =>
    (
      await rowsOf<{ failed_days: number }>(
        stack,
        'select failed_days from sso.domain where id = $1',
        [ID],
      )
    )[0]?.failed_days;
  /** Sets the state of a domain after this many days without its record. */
  const failFor = async ({ ID, TxtName }: Domain, days: number) => {
    dns.set(TxtName, { txt: [] });
    await rowsOf(stack, 'update sso.domain set failed_days = $2 where id = $1', [ID, days]);
  };
  /** Runs the daily check now, and returns the domain. */
  async function nextDay(domain: Domain): Promise<Domain> {
    const before = dns.asked.length;
    await letPass(stack, domain, 'next_check_at');
    await eventually('the daily check', async () => {
      const [row] = await rowsOf<{ done: boolean }>(
        stack,
        `select next_check_at > now() + interval '20 minutes' as done from sso.domain where id = $1`,
        [domain.ID],
      );
      return row?.done && dns.asked.slice(before).includes(domain.TxtName);
    });
    return read(domain);
  }

  test('Domain_Verify finds the record among others, and publishes an event', async () => {
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
    const domain = await claim(stack, await newTenant(), token);
    dns.set(domain.TxtName, { delayMs: 60_000 });
    const started = Date.now();
    assert.match((await verify(stack, domain, token)).FailureReason, /gave no answer/);
    assert.ok(Date.now() - started < 12_000, `${Date.now() - started} ms`);
  });

  test('Domain_Verify lookups up a name at most once a minute, for concurrent calls and for a new claim of the name too', async () => {
    const domain = await claim(stack, await newTenant(), token);
    const lookups = () => dns.asked.filter((name) => name === domain.TxtName).length;
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
          'the record is there, but another organisation has verified this domain: it must delete the domain first',
        );
      }
      const [loser] = losers;
      assert.ok(loser);
      await stack.call('Domain_Delete', { Tenant: winner.Tenant, ID: winner.ID }, token);
      assert.equal((await again(loser)).Status, 'verified');
    }
  });

  test('Domain_Verify accepts no challenge of another tenant', async () => {
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

  test('a claim older than seven days fails on its own, once, and can be verified with another challenge', async () => {
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

  test('a purged tenant leaves no domain behind', async () => {
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
