import { createHash } from 'node:crypto';
import { idFromHash } from '@bailiwick/contract';
import type { TaskResultSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/result_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { DeliveryOutcome } from './delivery-outcome.ts';

export type Delivery = { tenant: string; endpoint: string; type: string; body: Uint8Array };

/** An id derived from the delivery, the same for every attempt. */
export function derivedId({ tenant, endpoint, type, body }: Delivery): string {
  const head = [tenant, endpoint, type].map((part) => `${part.length}:${part}`).join('');
  return idFromHash('tsk', createHash('sha256').update(head).update(body).digest());
}

/** The API result of one attempt. */
export function resultOf(
  id: string,
  attempt: number,
  startedAt: Date,
  { status, statusCode, error, message }: DeliveryOutcome,
): MessageInitShape<typeof TaskResultSchema> {
  return {
    id,
    status,
    attempt,
    statusCode,
    error,
    message,
    durationMs: Date.now() - startedAt.getTime(),
    startedAt: timestampFromDate(startedAt),
  };
}
