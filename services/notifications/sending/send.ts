import { type Egress, RequestFailed, request } from '@bailiwick/egress';
import {
  type Answer,
  type DeliveryOutcome,
  outcomeOfAnswer,
  outcomeOfFailure,
} from './delivery-outcome.ts';

/**
 * 15 s in total, the response body included; 5 s to connect; at most 16 KiB of the response are
 * read.
 */
export const limits = { totalMs: 15_000, connectMs: 5000, answerBytes: 16 * 1024 };

export type Attempt = {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  signal: AbortSignal;
  /** Called when the response begins. */
  onAnswer?: () => void;
  /** Maps the response to an outcome; the default is the mapping for webhooks. */
  interpret?: (answer: Answer, now: Date) => DeliveryOutcome;
};

/**
 * Makes one attempt to post a body. Resolves with the outcome, and rejects only when the fault is
 * internal: the attempt was cancelled or the egress proxy does not work, so the receiver had no
 * part in it.
 */
export async function send(
  egress: Egress,
  { interpret = outcomeOfAnswer, ...attempt }: Attempt,
  { totalMs, answerBytes } = limits,
): Promise<DeliveryOutcome> {
  try {
    const { status, headers, body } = await request(egress, {
      method: 'POST',
      ...attempt,
      limits: { totalMs, answerBytes },
    });
    return interpret({ statusCode: status, headers, text: body.toString() }, new Date());
  } catch (error) {
    if (error instanceof RequestFailed) return outcomeOfFailure(error);
    throw error;
  }
}
