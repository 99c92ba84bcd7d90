import { eventually } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import type { Entry } from './ledger.ts';
import type { Product } from './product.ts';
import { type Got, keyOf } from './receivers.ts';

// Compares the ledger's operations with all deliveries, mails, rows and audit entries.

/** The parts of the product that the comparison reads. */
export type Witness = Pick<Product, 'stack' | 'receivers' | 'places'>;

export type Account = {
  accepted: number;
  /** Expected effects: deliveries to each endpoint, and mails. */
  effects: number;
  /** Effects that did not arrive and are not dead letters. */
  lost: string[];
  deadLetters: number;
  /** Effects that a receiver accepted more than once. */
  duplicates: number;
  /** Deliveries of one event to one endpoint under several webhook-ids, or mails with several tokens. */
  severalIds: string[];
  forged: number;
  /** Disagreements between rows, events and audit. */
  disagreements: string[];
};

const schemas = ['identity', 'access', 'sso', 'notifications'] as const;
/** The created records, by the type of their event. */
const records = {
  'group.created': 'select tenant, path as key from access.group_entry',
  'role.created': `select tenant, slug as key from access.role_entry where tenant <> ''`,
  'bot.created': 'select tenant, name as key from identity.bot',
  'invitation.created': 'select tenant, email as key from access.invitation',
  // An event of an application has no other row.
  'report.finished': `select for_tenant as tenant, event::json #>> '{data,Name}' as key from notifications.outbox where type = 'report.finished'`,
} as const;

/**
 * Waits until nothing is in progress, and returns the account.
 * `rowsMs`: the longest wait for the rows.
 */
export async function settle(
  witness: Witness,
  entries: readonly Entry[],
  rowsMs = 60_000,
): Promise<Account> {
  await eventually('all rows to settle', async () => (await unsettled(witness)) === 0, rowsMs);
  const complete = async () => {
    const account = await accountFor(witness, entries);
    return account.lost.length === 0 && account;
  };
  // A first attempt waits in the stream, without a row.
  return eventually('all effects to arrive', complete).catch(() => accountFor(witness, entries));
}

/** The number of rows that are still in progress. */
async function unsettled({ stack }: Pick<Witness, 'stack'>): Promise<number> {
  const parts = schemas.map(
    (schema) => `select count(*) from ${schema}.outbox where published_at is null`,
  );
  const waiting = "select count(*) from notifications.delivery_waiting where state <> 'dead'";
  const audit = `select count(*) from (${entriesOfOutbox}) o where not exists (select 1 from access.audit_entry a where a.id = o.id)`;
  const [row] = await rowsOf<{ count: number }>(
    stack,
    `select (${[...parts, waiting, audit].map((part) => `(${part})`).join(' + ')})::int as count`,
  );
  return row?.count ?? 0;
}

const entriesOfOutbox = schemas
  .map((schema) => `select audit::jsonb->>'ID' as id from ${schema}.outbox`)
  .join(' union all ');

/** Matches the ledger with the receivers' counts and with the stores. */
async function accountFor(product: Witness, entries: readonly Entry[]): Promise<Account> {
  const { stack, receivers, places } = product;
  const happened = await happenedIn(product);
  const dead = await rowsOf<{ operation: string }>(
    stack,
    "select operation from notifications.delivery_waiting where state = 'dead'",
  );
  const effects: Array<{ name: string; got: Got | undefined }> = [];
  const withEvents = new Set<string>();
  for (const { tenant, key } of happened.values()) withEvents.add(`${tenant} ${key}`);
  const want = (name: string, got: Got | undefined) => effects.push({ name, got });
  for (const place of places) {
    const keys = new Set(
      [...withEvents]
        .filter((one) => one.startsWith(`${place.tenant} `))
        .map((one) => one.slice(place.tenant.length + 1)),
    );
    for (const entry of entries) if (entry.accepted && entry.place === place) keys.add(entry.key);
    for (const key of keys)
      for (const endpoint of place.endpoints)
        want(`${endpoint} ${key}`, receivers.webhooks.get(`${endpoint} ${key}`));
  }
  for (const { accepted, hasMail, key, operation } of entries)
    if (accepted && hasMail) want(`${operation} ${key}`, receivers.mails.get(key));
  const all = [...receivers.webhooks, ...receivers.mails];
  const lost = effects.filter(({ got }) => !got || got.taken === 0).map(({ name }) => name);
  return {
    accepted: entries.filter(({ accepted }) => accepted).length,
    effects: effects.length,
    lost,
    deadLetters: dead.length,
    duplicates: all.reduce((sum, [, { taken: times }]) => sum + Math.max(0, times - 1), 0),
    severalIds: all.filter(([, { ids }]) => ids.size !== 1).map(([name]) => name),
    forged: receivers.counts.forged,
    disagreements: [
      ...(await disagreements(product, entries, happened)),
      ...(await auditProblems(product)),
    ],
  };
}

type PublishedEvent = { tenant: string; type: string; key: string };

/** The events that the outboxes have published, by their id. */
async function happenedIn({ stack }: Pick<Witness, 'stack'>): Promise<Map<string, PublishedEvent>> {
  const parts = schemas.map(
    (schema) =>
      `select id, for_tenant as tenant, type, event from ${schema}.outbox where type = any ($1)`,
  );
  const rows = await rowsOf<{ id: string; tenant: string; type: string; event: string }>(
    stack,
    parts.join(' union all '),
    [Object.keys(records)],
  );
  return new Map(
    rows.map(({ id, tenant, type, event }) => [
      id,
      { tenant, type, key: keyOf(JSON.parse(event) as { data: Record<string, unknown> }) },
    ]),
  );
}

async function disagreements(
  { stack }: Pick<Witness, 'stack'>,
  entries: readonly Entry[],
  happened: ReadonlyMap<string, PublishedEvent>,
): Promise<string[]> {
  const problems: string[] = [];
  const events = [...happened.values()].map(({ type, tenant, key }) => `${type} ${tenant} ${key}`);
  if (new Set(events).size !== events.length) problems.push('a change has two events');
  const rows: string[] = [];
  for (const [type, statement] of Object.entries(records)) {
    for (const { tenant, key } of await rowsOf<{ tenant: string; key: string }>(stack, statement))
      rows.push(`${type} ${tenant} ${key}`);
  }
  problems.push(...difference(rows, events).map((one) => `a row without its event: ${one}`));
  problems.push(...difference(events, rows).map((one) => `an event without its row: ${one}`));
  const keys = new Set([...happened.values()].map(({ key }) => key));
  for (const { accepted, place, key } of entries)
    if (accepted && place && !keys.has(key)) problems.push(`accepted, and no row: ${key}`);
  return problems;
}

function difference(these: readonly string[], those: readonly string[]): string[] {
  const names = new Set(those);
  return these.filter((one) => !names.has(one));
}

/** Each entry exists once, and the chains are valid. */
async function auditProblems({ stack, places }: Witness): Promise<string[]> {
  const problems: string[] = [];
  const twice = await rowsOf(
    stack,
    'select id from access.audit_entry group by id having count(*) > 1',
  );
  const missing = await rowsOf(
    stack,
    `select o.id from (${entriesOfOutbox}) o where not exists (select 1 from access.audit_entry a where a.id = o.id)`,
  );
  const foreign = await rowsOf(
    stack,
    `select a.id from access.audit_entry a where not exists (select 1 from (${entriesOfOutbox}) o where o.id = a.id)`,
  );
  for (const [what, rows] of Object.entries({ twice, missing, foreign }))
    if (rows.length > 0) problems.push(`${rows.length} audit entries are ${what}`);
  for (const Tenant of ['', ...places.map(({ tenant }) => tenant)]) {
    for (let Cursor: unknown = ''; ; ) {
      const { status, body } = await stack.call(
        'Audit_Verify',
        { Tenant, Cursor },
        stack.platformKey,
      );
      if (status !== 200 || body['Valid'] !== true)
        problems.push(
          `the chain of ${Tenant || 'the platform'} is not valid: ${JSON.stringify(body)}`,
        );
      Cursor = body['NextCursor'] ?? '';
      if (Cursor === '') break;
    }
  }
  return problems;
}
