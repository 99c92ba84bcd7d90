import { recordIn } from '../../support/answers.ts';
import { startDns } from '../../support/dns-server.ts';
import { type Domain, letPass, verify, waitAMinute } from '../../support/domains.ts';
import { eventually, startStack, type Topology } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';

export type Proofs = Awaited<ReturnType<typeof startProofs>>;

/**
 * A stack with a real DNS server whose answers the test sets, an owner, and the calls of the suites
 * about the proof of domains.
 */
export async function startProofs(topology: Topology) {
  const dns = await startDns();
  const stack = await startStack(topology, {
    BAILIWICK_DNS_RESOLVERS: dns.address,
    BAILIWICK_TENANT_GRACE_SECONDS: '4',
  });
  const { id, token } = await signUp(stack);
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
    const before = dns.queries.length;
    await letPass(stack, domain, 'next_check_at');
    await eventually('the daily check', async () => {
      const [row] = await rowsOf<{ done: boolean }>(
        stack,
        `select next_check_at > now() + interval '20 minutes' as done from sso.domain where id = $1`,
        [domain.ID],
      );
      return row?.done && dns.queries.slice(before).includes(domain.TxtName);
    });
    return read(domain);
  }

  return {
    stack,
    dns,
    token,
    newTenant,
    tryToVerify,
    again,
    read,
    becomes,
    failedDaysOf,
    failFor,
    nextDay,
    async stop(): Promise<void> {
      await stack.stop();
      await dns.stop();
    },
  };
}
