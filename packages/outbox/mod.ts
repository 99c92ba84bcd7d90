export { cacheKeysOf } from './cache-keys.ts';
export { type FollowedEvent, followEvents } from './events.ts';
export { createHandover, type FreshRow, type Handover } from './handover.ts';
export { createLossDetector, findLosses } from './loss-detector.ts';
export {
  changeRow,
  createRecorder,
  type InsertRows,
  OutboxEntity,
  type OutboxRow,
  outboxTable,
  record,
  recordRefusal,
  recordRevocation,
  recordRows,
  valuesOf,
} from './outbox.ts';
export { createOwner } from './owner.ts';
export { insertText, type RowValues } from './queries.ts';
export { startRelay } from './relay.ts';
export {
  type AuditDraft,
  type Change,
  eventBody,
  type RecordOrigin,
  type Refusal,
  type StreamMessage,
  type Target,
} from './row.ts';
export {
  firstPublicationHeader,
  mailTask,
  noticeTask,
  noticeTasks,
  openTaskToken,
  publishTask,
  type Task,
  taskHeaders,
  tasksMadeHeader,
} from './tasks.ts';
