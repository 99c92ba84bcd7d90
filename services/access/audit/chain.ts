import { createHash } from 'node:crypto';
import type { AuditDraft } from '@bailiwick/outbox';

// The hash chain of a tenant's audit entries. Each hash covers its entry and the hash before it, so
// changing, removing or inserting an entry breaks all later hashes. Pure functions.

export type EntryTarget = { Type: string; ID: string; Name: string };
export type EntryChange = { Field: string; Old: string; New: string };

/** An entry before it is chained, with field names as in the API. */
export type Entry = Omit<AuditDraft, 'Targets' | 'Changes'> & {
  Targets: EntryTarget[];
  Changes: EntryChange[];
};

export type Link = { seq: number; hash: string };

export const chainStart: Link = { seq: 0, hash: '' };

/** Turns a draft into an entry: known fields only, as texts that PostgreSQL can store. */
export function entryOf(draft: AuditDraft): Entry {
  return {
    ID: draft.ID,
    Tenant: draft.Tenant,
    OccurredAt: new Date(draft.OccurredAt).toISOString(),
    Action: textOf(draft.Action),
    Operation: textOf(draft.Operation),
    Result: draft.Result,
    Code: textOf(draft.Code),
    ActorType: textOf(draft.ActorType),
    ActorID: textOf(draft.ActorID),
    CredentialID: textOf(draft.CredentialID),
    Targets: draft.Targets.map(({ Type, ID, Name }) => ({
      Type: textOf(Type),
      ID: textOf(ID),
      Name: textOf(Name),
    })),
    Permission: textOf(draft.Permission),
    GrantID: textOf(draft.GrantID),
    IP: textOf(draft.IP),
    UserAgent: textOf(draft.UserAgent),
    RequestID: textOf(draft.RequestID),
    TraceID: textOf(draft.TraceID),
    Changes: draft.Changes.map(({ Field, Old, New }) => ({
      Field: textOf(Field),
      Old: textOf(Old),
      New: textOf(New),
    })),
  };
}

const maxText = 8192;

/**
 * Returns a text as it is, and other values as JSON. An entry that cannot be stored would block the
 * entries behind it.
 */
function textOf(value: unknown): string {
  const text =
    typeof value === 'string'
      ? value
      : value === undefined || value === null
        ? ''
        : JSON.stringify(value);
  return text.slice(0, maxText).replaceAll('\u0000', '').toWellFormed();
}

/** The link of an entry that follows `last`. */
export function linkOf(last: Link, entry: Entry): Link {
  const seq = last.seq + 1;
  const hash = createHash('sha256')
    .update(`${last.hash}\n${canonical({ ...entry, Seq: seq })}`)
    .digest('hex');
  return { seq, hash };
}

/**
 * JSON with sorted keys and without empty texts and lists. Omitting empty fields keeps the hashes
 * of old entries valid when entries get a new field.
 */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(
      ([, field]) =>
        field !== '' && field !== undefined && !(Array.isArray(field) && field.length === 0),
    )
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}
