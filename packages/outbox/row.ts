import { Buffer } from 'node:buffer';
import { type Caller, createId, grantOf, type Origin } from '@bailiwick/contract';
import { invalid } from '@bailiwick/errors';
import { currentTraceId, currentTraceparent } from '@bailiwick/process';
import type { Task } from './tasks.ts';

// The content of an outbox row: the event that receivers get, and the audit entry.

/** Who and what the record of a change names. */
export type RecordOrigin = Pick<Origin, 'operation' | 'caller' | 'permission'>;

/** A record that a change or a refused call names. */
export type Target = { Type: string; ID: string; Name: string };
type FieldChange = { Field: string; Old: unknown; New: unknown };

/** A change of state, described by the handler that makes it. */
export type Change = {
  /** "" for changes outside of tenants: accounts, the platform. */
  tenant: string;
  /** The event's type, which is also the audit action, e.g. `group.created`. */
  type: string;
  /**
   * The record as the API returns it (documented JSON), or the text of a JSON object, which is
   * passed on unchanged. null = audit only, no event.
   */
  data: Record<string, unknown> | string | null;
  /** The old values of the changed fields. */
  previous?: Record<string, unknown>;
  /** Why the caller made the change, for the audit alone. */
  reason?: string;
  /** For a failed attempt that is still announced: the error code. */
  code?: string;
  targets: readonly Target[];
  tasks?: readonly Task[];
};

/** The audit entry for the projector, which adds its position in the tenant's chain. */
export type AuditDraft = {
  ID: string;
  Tenant: string;
  OccurredAt: string;
  Action: string;
  Operation: string;
  Result: 'success' | 'denied' | 'failed';
  Code: string;
  ActorType: string;
  ActorID: string;
  CredentialID: string;
  Targets: readonly Target[];
  Permission: string;
  GrantID: string;
  IP: string;
  UserAgent: string;
  RequestID: string;
  TraceID: string;
  Changes: readonly FieldChange[];
};

/** A message of the event stream. `event` is the body that receivers get, byte for byte. */
export type StreamMessage = { event: string | null; audit: AuditDraft };

export const streamMessage = (event: string | null, audit: string): string =>
  `{"event":${JSON.stringify(event)},"audit":${audit}}`;

/**
 * Limit of a change. A task with its event is a third larger (base64), and brokers accept 1 MiB by
 * default.
 */
const maxChangeKiB = 720;

/** A denied or failed call, for the audit. */
export type Refusal = Pick<AuditDraft, 'Tenant' | 'Action' | 'Result' | 'Code' | 'Targets'> & {
  /** Why, for readers of the audit. Absent if the code says it. */
  Reason?: string;
};

/** The row of a change. @throws invalid_argument if it is too large */
export function rowOf(origin: RecordOrigin, change: Change) {
  const id = createId('evt');
  const now = new Date();
  const { data, code = '' } = change;
  const event = data === null ? null : eventBody(origin, { ...change, data, id, at: now });
  const audit = draft(origin, now, {
    Tenant: change.tenant,
    Action: change.type,
    Result: code === '' ? 'success' : 'failed',
    Code: code,
    GrantID: grantOf(origin.caller, origin.permission),
    Targets: change.targets,
    Changes: changesOf(change),
  });
  const written = row(id, now, audit);
  // A service's own changes are never rejected: the relay skips rows that the broker rejects.
  if (
    audit.ActorType !== 'system' &&
    Buffer.byteLength(streamMessage(event, written.audit)) > maxChangeKiB * 1024
  )
    throw invalid(
      `the event of this change, with old and new values, would be larger than ${maxChangeKiB} KiB`,
      'CHANGE_TOO_LARGE',
      { Limit: `${maxChangeKiB} KiB` },
    );
  return { ...written, type: change.type, event, tasks: [...(change.tasks ?? [])] };
}

function changesOf({ data, previous = {}, reason = '' }: Change): FieldChange[] {
  const changes = Object.entries(previous).map(([Field, Old]) => ({
    Field,
    Old,
    New: (typeof data === 'object' ? data?.[Field] : undefined) ?? null,
  }));
  return reason === '' ? changes : [...changes, { Field: 'Reason', Old: null, New: reason }];
}

type EventBody = Pick<Change, 'tenant' | 'type' | 'previous'> & {
  id: string;
  at: Date;
  data: Record<string, unknown> | string;
};

/**
 * The body of an event, as receivers get it. Data that is text stays byte for byte, since
 * re-encoding could alter it.
 */
export function eventBody(
  { caller }: Pick<Origin, 'caller'>,
  { id, type, at, tenant, data, previous = {} }: EventBody,
): string {
  const { operator } = caller;
  const actor = {
    type: actorType(caller),
    id: caller.id,
    // An operator acts as this user.
    ...(operator !== '' && { operator }),
  };
  const head = JSON.stringify({
    id,
    type,
    timestamp: at.toISOString(),
    tenant,
    actor,
    apiVersion: '1.0.0',
  });
  return `${head.slice(0, -1)},"data":${typeof data === 'string' ? data : JSON.stringify(data)},"previous":${JSON.stringify(previous)}}`;
}

/** The row of a denied or failed call. It has no event. */
export function refusalRow(origin: RecordOrigin, { Reason, ...refusal }: Refusal, times: number) {
  const now = new Date();
  const details = { ...(Reason && { Reason }), ...(times > 1 && { Times: times }) };
  // No grant allowed it.
  const audit = draft(origin, now, {
    ...refusal,
    GrantID: '',
    Changes: Object.entries(details).map(([Field, New]) => ({ Field, Old: null, New })),
  });
  return row(createId('evt'), now, audit);
}

function row(id: string, createdAt: Date, audit: AuditDraft) {
  const waiting = { createdAt, publishedAt: null, streamSeq: null };
  return {
    id,
    forTenant: audit.Tenant,
    type: '',
    event: null,
    audit: JSON.stringify(audit),
    tasks: [],
    traceparent: currentTraceparent(),
    ...waiting,
  };
}

type Outcome = Pick<
  AuditDraft,
  'Tenant' | 'Action' | 'Result' | 'Code' | 'Targets' | 'Changes' | 'GrantID'
>;

function draft(
  { operation, caller, permission }: RecordOrigin,
  now: Date,
  outcome: Outcome,
): AuditDraft {
  return {
    ID: createId('aud'),
    OccurredAt: now.toISOString(),
    Operation: operation.name,
    ActorType: actorType(caller),
    ActorID: caller.id,
    CredentialID: caller.credentialId,
    Permission: permission,
    IP: caller.ip,
    UserAgent: caller.userAgent,
    RequestID: caller.requestId,
    TraceID: currentTraceId(),
    ...outcome,
    Targets: [...outcome.Targets, ...operatorOf(caller)],
  };
}

/**
 * The operator who acts as the caller, as the last target: there the hash of the entry covers it,
 * and a filter by target finds it.
 */
const operatorOf = ({ operator }: Caller): Target[] =>
  operator === '' ? [] : [{ Type: 'operator', ID: operator, Name: '' }];

const actorType = (caller: Caller) =>
  caller.type === 'service' || caller.type === 'worker' ? 'system' : caller.type;
