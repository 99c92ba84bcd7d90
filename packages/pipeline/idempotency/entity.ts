import { defineEntity, p } from '@mikro-orm/core';

/**
 * A call with an Idempotency-Key. Rows belong to callers, not to tenants, and are kept for 24
 * hours.
 */
export const IdempotentCallEntity = defineEntity({
  name: 'IdempotentCall',
  tableName: 'idempotent_call',
  properties: {
    /** SHA-256 of the caller and the key, in hex: the key itself is not stored. */
    id: p.string().primary().columnType('text'),
    /**
     * The attempt that may commit. Taking over an abandoned call replaces it, which fences off the
     * earlier attempt.
     */
    attempt: p.text(),
    /**
     * The digest of operation and request, sealed: requests may contain passwords, which a plain
     * digest would help to guess.
     */
    request: p.text(),
    changed: p.boolean().default(false),
    /** True = the attempt ended without a response after it had changed something. */
    failed: p.boolean().nullable(),
    /** The response message, sealed. Null until the call has succeeded. */
    answer: p.text().nullable(),
    claimedAt: p.datetime(3),
  },
  indexes: [{ name: 'idempotent_call_claimed_at', properties: ['claimedAt'] }],
});

/** The table, for a migration of each service. */
export const idempotentCallTable = `
  create table idempotent_call (
    id text primary key,
    attempt text not null,
    request text not null,
    changed boolean not null default false,
    failed boolean,
    answer text,
    claimed_at timestamptz(3) not null
  );
  create index idempotent_call_claimed_at on idempotent_call (claimed_at);`;
