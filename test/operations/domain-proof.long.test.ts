import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, patiently, recordIn } from '../answers.ts';
import { type DnsServer, startDns } from '../dns-server.ts';
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
} from '../domains.ts';
import { type Answer, describeBoth, eventually, type Stack, startStack } from '../harness.ts';
import { signUp, tenantFor } from '../people.ts';
import { eventsOf, eventTypesOf, rowsOf } from '../store.ts';

// Domains are proved at a real DNS server, which says what a test wants.

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
  /** Leaves a domain as it is after so many days without its record. */
  const failFor = async ({ ID, TxtName }: Domain, days: number) => {
    dns.set(TxtName, { txt: [] });
    await rowsOf(stack, 'update sso.domain set failed_days = $2 where id = $1', [ID, days]);
  };
  /** The daily check, today. */
  async function nextDay(domain: Domain): Promise<Domain> {
    const asked = dns.asked.length;
    await letPass(stack, domain, 'next_check_at');
    await eventually('the daily check', async () => {
      const [row] = await rowsOf<{ done: boolean }>(
        stack,
        `select next_check_at > now() + interval '20 minutes' as done from sso.domain where id = $1`,
        [domain.ID],
      );
      return row?.done && dns.asked.slice(asked).includes(domain.TxtName);
    });
    return read(domain);
  }

  test('Domain_Verify finds the record among others, and the event says so', async () => {
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
    // Once more is no change: nobody is told, and it stays as long verified as it was.
    assert.equal((await again(domain)).VerifiedAt, VerifiedAt);
    assert.deepEqual(await eventTypesOf(stack, 'sso', Tenant), [
      'domain.created',
      'domain.verified',
    ]);
  });

  test('Domain_Verify reads long texts in pieces, many records over TCP, and follows another name', async () => {
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

  test('Domain_Verify leaves a domain pending without the record, says what was found, and tells of it', async () => {
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

  test('Domain_Verify gives a silent server up within its time, and holds nothing against the domain', async () => {
    const domain = await claim(stack, await newTenant(), token);
    dns.set(domain.TxtName, { delayMs: 60_000 });
    const started = Date.now();
    assert.match((await verify(stack, domain, token)).FailureReason, /gave no answer/);
    assert.ok(Date.now() - started < 12_000, `${Date.now() - started} ms`);
  });

  test('Domain_Verify looks at most once a minute, of any number of calls at once, and also where the name is claimed anew', async () => {
    const domain = await claim(stack, await newTenant(), token);
    const looks = () => dns.asked.filter((name) => name === domain.TxtName).length;
    const refusedIn = (answers: readonly Answer[]) =>
      answers.filter(({ status }) => status === 429);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => patiently(() => tryToVerify(domain))),
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
    assert.equal(looks(), 1);
    await stack.call('Domain_Delete', { Tenant: domain.Tenant, ID: domain.ID }, token);
    assert.equal(
      (await tryToVerify(await claim(stack, domain.Tenant, token, { Name: domain.Name }))).status,
      429,
    );
    assert.equal(looks(), 1);
  });

  test('of two tenants that prove one name at once one gets it, and the other learns no more than that', async () => {
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
          'the record is there, but another organisation has verified this domain: it has to give it up first',
        );
      }
      const [loser] = losers;
      assert.ok(loser);
      await stack.call('Domain_Delete', { Tenant: winner.Tenant, ID: winner.ID }, token);
      assert.equal((await again(loser)).Status, 'verified');
    }
  });

  test('the challenge of one tenant proves nothing for another', async () => {
    const Name = newName();
    const [mine, theirs] = [
      await claim(stack, await newTenant(), token, { Name }),
      await claim(stack, await newTenant(), token, { Name }),
    ];
    publish(dns, mine);
    assert.equal((await verify(stack, theirs, token)).Status, 'pending');
    assert.equal((await verify(stack, mine, token)).Status, 'verified');
  });

  test('a claim whose seven days are over is not proved, whether or not anybody has told of it, and gets another challenge', async () => {
    const Tenant = await newTenant();
    const domain = await claim(stack, Tenant, token);
    publish(dns, domain);
    await letPass(stack, domain, 'challenge_expires_at');
    const renewed = await verify(stack, domain, token);
    assert.equal(renewed.Status, 'pending');
    assert.equal(
      renewed.FailureReason,
      'the time for the record was over: publish the new TxtValue, and verify the domain again',
    );
    assert.notEqual(renewed.TxtValue, domain.TxtValue);
    assert.ok(Date.parse(renewed.ChallengeExpiresAt) > Date.now() + 6.9 * 86_400_000);
    assert.match((await again(domain)).FailureReason, /none has the right value/);
    publish(dns, renewed);
    assert.equal((await again(domain)).Status, 'verified');
  });

  test('a claim whose seven days are over fails by itself, once, and can be proved with another challenge', async () => {
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

  test('a domain whose record is gone for three days has lapsed, sends nobody anywhere, and is verified again when it is back', async () => {
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
    const told = [
      'created',
      'verified',
      'verification_failed',
      'verification_failed',
      'lapsed',
      'verified',
    ].map((verb) => `domain.${verb}`);
    assert.deepEqual(await eventTypesOf(stack, 'sso', Tenant), told);
  });

  test('days count one after the other: one on which the record is there, or a call finds it, begins them anew', async () => {
    const domain = await own(stack, dns, await newTenant(), token);
    for (const look of [nextDay, again]) {
      await failFor(domain, 2);
      publish(dns, domain);
      assert.equal((await look(domain)).Status, 'verified');
      assert.equal(await failedDaysOf(domain), 0);
    }
    // What a call does not find is no day: nobody loses a domain by asking three times.
    dns.set(domain.TxtName, { txt: [] });
    for (let time = 0; time < 4; time++) assert.equal((await again(domain)).Status, 'verified');
    assert.equal(await failedDaysOf(domain), 0);
  });

  test('a DNS server that fails, refuses or is silent takes no domain from anybody', async () => {
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
    assert.equal(row?.soon, true, 'it is asked again before a day has passed');
  });

  test('a lapsed domain that another tenant has verified meanwhile stays lapsed, and is free again when that gives it up', async () => {
    const domain = await own(stack, dns, await newTenant(), token);
    await failFor(domain, 2);
    assert.equal((await nextDay(domain)).Status, 'lapsed');
    const heir = await claim(stack, await newTenant(), token, { Name: domain.Name });
    dns.set(domain.TxtName, { txt: [domain.TxtValue, heir.TxtValue] });
    assert.equal((await verify(stack, heir, token)).Status, 'verified');
    for (const look of [nextDay, again]) {
      const { Status, FailureReason } = await look(domain);
      assert.equal(Status, 'lapsed');
      assert.match(FailureReason, /another organisation has verified/);
    }
    await stack.call('Domain_Delete', { Tenant: heir.Tenant, ID: heir.ID }, token);
    assert.equal((await nextDay(domain)).Status, 'verified');
  });

  test('what somebody began to check and did not finish is checked by the next', async () => {
    const domain = await own(stack, dns, await newTenant(), token);
    // As a process leaves it that is killed while it waits for DNS.
    await rowsOf(
      stack,
      `update sso.domain set next_check_at = now() + interval '3 seconds', failed_days = 2 where id = $1`,
      [domain.ID],
    );
    dns.set(domain.TxtName, { txt: [] });
    await becomes(domain, 'the check', ({ Status }) => Status === 'lapsed');
  });

  test('a tenant that is purged leaves no domain behind', async () => {
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

  test('a domain is refused to nobody for having been verified elsewhere before', async () => {
    const domain = await own(stack, dns, await newTenant(), token);
    await stack.call('Domain_Delete', { Tenant: domain.Tenant, ID: domain.ID }, token);
    const next = await claim(stack, await newTenant(), token, { Name: domain.Name });
    assert.equal(
      (await verify(stack, next, token)).Status,
      'pending',
      'the old record is the old tenant’s',
    );
    publish(dns, next);
    assert.equal((await again(next)).Status, 'verified');
    assertRefused(await tryToVerify(domain), 400, 'not_found');
  });
});
