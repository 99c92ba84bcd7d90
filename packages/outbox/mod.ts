export { cacheKeysOf } from './cache-keys.ts';
export { currentMark, inIdempotentCall, outsideIdempotentCall } from './call-mark.ts';
export { type FollowedEvent, followEvents } from './events.ts';
export { handOver } from './fresh.ts';
export { createLossDetector, findLosses } from './loss-detector.ts';
export {
  type AuditDraft,
  type Change,
  changeRow,
  createRecorder,
  eventBody,
  type Origin,
  OutboxEntity,
  outboxTable,
  type Refusal,
  recordChange,
  recordRefusal,
  type StreamMessage,
  serviceOrigin,
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
