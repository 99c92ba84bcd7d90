export { cacheKeysOf } from './cache-keys.ts';
export { type FollowedEvent, followEvents } from './events.ts';
export { createHandover, type Handover } from './handover.ts';
export { createLossDetector, findLosses } from './loss-detector.ts';
export {
  type AuditDraft,
  type Change,
  changeRow,
  createRecorder,
  eventBody,
  OutboxEntity,
  outboxTable,
  type RecordOrigin,
  type Refusal,
  record,
  recordRefusal,
  type StreamMessage,
  type Target,
} from './outbox.ts';
export { createOwner } from './owner.ts';
export { startRelay } from './relay.ts';
export {
  mailTask,
  noticeTask,
  openTaskToken,
  publishTask,
  type Task,
  taskHeaders,
} from './tasks.ts';
