import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoClock } from './clock.ts';
import { clockSchema } from './clock-schema.ts';
import { addressOf, demoPassword } from './company.ts';

// How the story of the demo acts: it calls operations as clients do, and waits for their effects.

export type Body = Record<string, unknown>;
/** The credential of a person's session or of a bot, and where it calls from. */
export type Caller = { token: string; ip: string; userAgent: string };
export type World = ReturnType<typeof createWorld>;

type Options = { gateway: string; inbox: string; platformKey: string; clock: DemoClock };

const devices = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1',
];
const limitMs = 30_000;

export function createWorld({ gateway, inbox, platformKey, clock }: Options) {
  const platform: Caller = { token: platformKey, ip: '192.0.2.1', userAgent: 'curl/8.15.0' };

  async function send(operation: string, body: Body, { token, ip, userAgent }: Caller) {
    const response = await fetch(`${gateway}/${operation}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': ip,
        'user-agent': userAgent,
        ...(token !== '' && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  /** @throws if the call does not succeed */
  async function call(operation: string, body: Body, caller: Caller = platform): Promise<Body> {
    const answer = await send(operation, body, caller);
    if (answer.status === 200) return answer.body;
    throw new Error(`${operation} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  return {
    inbox,
    platform,
    call,

    /** A call that the service refuses, which is in the audit. */
    async refused(operation: string, body: Body, caller: Caller): Promise<void> {
      const { status } = await send(operation, body, caller);
      if (status !== 403) throw new Error(`${operation} answered ${status} instead of 403`);
    },

    /** Signs a person in, with the person's own device and network. */
    async signIn(name: string, place = 0): Promise<Caller> {
      const number = Buffer.from(name).reduce((sum, byte) => sum + byte, 0);
      const from = {
        token: '',
        ip: `198.51.100.${(number % 120) + place}`,
        userAgent: devices[(number + place) % devices.length] ?? '',
      };
      const credentials = { Email: addressOf(name), Password: demoPassword };
      const { Token } = await call('Account_Login', credentials, from);
      return { ...from, token: String(Token) };
    },

    /** The token of an invitation, as the mail has it. */
    async invitationFor(name: string): Promise<string> {
      const url = `${inbox}/messages?to=${encodeURIComponent(addressOf(name))}`;
      return waitFor('the mail of an invitation', async () => {
        const mails = (await (await fetch(url)).json()) as Array<{ Text: string }>;
        return mails.flatMap(({ Text }) => /bwki_[0-9A-Za-z]{49}/.exec(Text) ?? [])[0];
      });
    },

    /** Waits until all changes are published, and all events are with the endpoints that answer. */
    settle: () =>
      waitFor('deliveries', async () => ((await pending(clock)) === 0 ? true : undefined)),
  };
}

async function waitFor<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = performance.now() + limitMs; ; await sleep(10)) {
    const result = await look();
    if (result !== undefined) return result;
    if (performance.now() > deadline) throw new Error(`the demo waits for ${what}`);
  }
}

const services = ['identity', 'access', 'sso', 'notifications'];
const outboxRows = services
  .map((service) => `(select count(*) from ${service}.outbox where published_at is null)`)
  .join(' + ');
const events = ['access', 'notifications']
  .map((service) => `select * from ${service}.outbox where event is not null`)
  .join(' union all ');
const missingAttempts = `select count(*) from (${events}) o
  join notifications.webhook_endpoint e on e.tenant = o.for_tenant and e.created_at < o.created_at
  left join notifications.endpoint_health h on h.tenant = e.tenant and h.endpoint = e.id
  where h.failing_since is null
    and exists (select from unnest(e.event_types) p where o.type like replace(p, '*', '%'))
    and not exists (select from notifications.delivery_attempt a where a.endpoint = e.id and a.event = o.id)`;

/**
 * Retries that run now or in a moment: a clock that moves during an attempt would make it take
 * hours.
 */
const retries = `select count(*) from notifications.delivery_waiting w
  left join notifications.endpoint_health h on h.tenant = w.tenant and h.endpoint = w.endpoint
  where (w.state = 'queued' or w.state = 'waiting' and w.due_at < ${clockSchema}.now() + interval '500 ms')
    and (h.paused_until is null or h.paused_until < ${clockSchema}.now() + interval '500 ms')`;

/** How many changes are unpublished, and how many deliveries are not made. */
async function pending({ query }: DemoClock): Promise<number> {
  const [row] = await query<{ count: string }>(
    `select ${outboxRows} + (${missingAttempts}) + (${retries}) as count`,
  );
  return Number(row?.count);
}
