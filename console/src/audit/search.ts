import type { RequestOf } from '@bailiwick/client/client.ts';
import { type CursorSearch, readCursor } from '../parts/cursor.ts';

// The filters of the audit, as they stand in the address of the view.

/** A field of the form. Times are in the form of an ISO 8601 instant. */
export const filterFields = [
  'action',
  'operation',
  'actor',
  'target',
  'result',
  'ip',
  'from',
  'to',
] as const;

export type AuditFilters = Partial<Record<(typeof filterFields)[number], string>>;

export type AuditSearch = AuditFilters &
  CursorSearch & {
    order?: 'oldest';
    /** The entry whose details are shown. */
    entry?: string;
    panel?: 'verify';
  };

export function readSearch(search: Record<string, unknown>): AuditSearch {
  const entries = filterFields.flatMap((name) => {
    const input = search[name];
    const isGiven = typeof input === 'string' && input !== '';
    const isUsable = isGiven && (!isTime(name) || !Number.isNaN(Date.parse(input)));
    return isUsable ? [[name, input] as const] : [];
  });
  return {
    ...Object.fromEntries(entries),
    ...readCursor(search),
    ...(search['order'] === 'oldest' && { order: 'oldest' }),
    ...(typeof search['entry'] === 'string' && { entry: search['entry'] }),
    ...(search['panel'] === 'verify' && { panel: 'verify' }),
  };
}

const isTime = (name: string) => name === 'from' || name === 'to';

type Filter = NonNullable<RequestOf<'Audit_List'>['Filter']>;

/** The filter of a call. */
export const toFilter = (filters: AuditFilters): Filter => ({
  ...(filters.action && { ActionPrefix: filters.action }),
  ...(filters.operation && { OperationPrefix: filters.operation }),
  ...(filters.actor && { ActorIDs: [filters.actor] }),
  ...(filters.target && { TargetIDs: [filters.target] }),
  ...(filters.result && { Result: filters.result }),
  ...(filters.ip && { IP: filters.ip }),
  ...(filters.from && { From: filters.from }),
  ...(filters.to && { To: filters.to }),
});
