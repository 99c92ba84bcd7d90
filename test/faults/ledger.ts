import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { password } from '../support/people.ts';
import type { Place, Product } from './product.ts';

// Operations with side effects, each with a unique name, and their answers.

export type Entry = {
  key: string;
  operation: string;
  /**
   * Without an answer, or with one other than success, the operation may or may not have happened.
   */
  accepted: boolean;
  /** The place whose endpoints get its event. */
  place?: Place;
  hasMail: boolean;
};

/** A later answer counts as none, like for a client with a time-out. */
const answerTimeoutMs = 15_000;

type Step = { operation: string; body: object; token?: string };
type Work = { place?: Place; hasMail: boolean; steps: Step[] };
type Make = (key: string, place: Place, product: Product) => Work;

const withPlace = (
  operation: string,
  record: (tenant: string, key: string) => object,
  hasMail = false,
): Make => {
  return (key, place, { owner }) => ({
    place,
    hasMail,
    steps: [{ operation, body: record(place.tenant, key), token: owner.token }],
  });
};
const mailed = (steps: Step[]): Work => ({ hasMail: true, steps });

const report = (Name: string) => ({
  Type: 'report.finished',
  Body: Buffer.from(JSON.stringify({ Name })).toString('base64'),
});

/** Mostly cheap operations: a registration costs a password hash, which is expensive by design. */
const kinds: ReadonlyArray<{ share: number; make: Make }> = [
  { share: 0.35, make: withPlace('Groups_Save', (Tenant, Path) => ({ Group: { Tenant, Path } })) },
  { share: 0.1, make: withPlace('Events_Publish', (Tenant, key) => ({ Tenant, ...report(key) })) },
  {
    share: 0.05,
    make: withPlace('Events_PublishBatch', (Tenant, key) => ({ Tenant, Events: [report(key)] })),
  },
  { share: 0.15, make: withPlace('Bots_Save', (Tenant, Name) => ({ Bot: { Tenant, Name } })) },
  {
    share: 0.1,
    make: withPlace('Roles_Save', (Tenant, Slug) => ({
      Role: { Tenant, Slug, Name: Slug, Permissions: ['app.notes.read'] },
    })),
  },
  {
    share: 0.13,
    make: withPlace(
      'TenantInvitations_Create',
      (Tenant, key) => ({ Tenant, Email: addressOf(key) }),
      true,
    ),
  },
  {
    share: 0.08,
    make: (key, _place, { stack }) =>
      mailed([
        {
          operation: 'Users_Create',
          body: { User: { Email: addressOf(key) } },
          token: stack.platformKey,
        },
        { operation: 'Account_RequestPasswordReset', body: { Email: addressOf(key) } },
      ]),
  },
  {
    share: 0.04,
    make: (key) =>
      mailed([
        { operation: 'Account_Register', body: { Email: addressOf(key), Password: password } },
      ]),
  },
];

/** Identifies mails and events by their address. */
export const addressOf = (key: string) => `${key}@example.com`;

/** Performs at most so many operations a second, until it is stopped. */
export function keepLedger(
  product: Product,
  { rate, clients, random }: { rate: number; clients: number; random: () => number },
) {
  const entries: Entry[] = [];
  const answers: Record<string, number> = {};
  let isOver = false;
  let turn = 0;
  const began = performance.now();

  async function perform(): Promise<void> {
    const key = `k${turn++}`;
    const make = pick(random());
    const place = product.places[Math.floor(random() * product.places.length)] as Place;
    const { steps, hasMail, place: eventPlace } = make(key, place, product);
    const last = steps.at(-1) as Step;
    const entry: Entry = {
      key: hasMail ? addressOf(key) : key,
      operation: last.operation,
      accepted: false,
      hasMail,
      ...(eventPlace && { place: eventPlace }),
    };
    entries.push(entry);
    for (const step of steps) {
      const answer = await answerTo(product, step);
      answers[answer] = (answers[answer] ?? 0) + 1;
      if (answer === 'ok') continue;
      // The process restarts soon: wait a moment, as a client does.
      await sleep(100);
      return;
    }
    entry.accepted = true;
  }

  async function client(): Promise<void> {
    while (!isOver) {
      const aheadMs = (1000 * turn) / rate - (performance.now() - began);
      if (aheadMs > 0) await sleep(aheadMs);
      if (!isOver) await perform();
    }
  }

  const running = Promise.all(Array.from({ length: clients }, client));
  return {
    /** The performed operations, and the number of each kind of answer. */
    async stop(): Promise<{
      entries: readonly Entry[];
      answers: Readonly<Record<string, number>>;
    }> {
      isOver = true;
      await running;
      return { entries, answers };
    },
  };
}

function pick(random: number): Make {
  let rest = random;
  const kind = kinds.find(({ share }) => (rest -= share) < 0);
  if (!kind) throw new Error('the shares add up to less than one');
  return kind.make;
}

/** ok, the error code, or that there was no answer. */
async function answerTo({ stack }: Product, { operation, body, token }: Step): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const url = `http://${loopback}:${stack.wiring.ports.gateway.rpc}/${operation}`;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    const answer = (await response.json()) as { Code?: string };
    return response.status === 200 ? 'ok' : (answer.Code ?? '');
  } catch {
    return 'none';
  }
}
