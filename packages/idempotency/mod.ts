export { currentMark, outsideIdempotentCall } from './current.ts';
export { IdempotentCallEntity, idempotentCallTable } from './entity.ts';
export { createIdempotency, type Idempotency } from './idempotency.ts';
export { sweepCalls } from './queries.ts';
