import { RequestFailed } from '@bailiwick/shared/egress/failure.ts';
import { type Egress, request } from '@bailiwick/shared/egress/request.ts';
import { type Answer, type Outcome, outcomeOfAnswer, outcomeOfFailure } from './outcome.ts';

/** 15 s in all, the answer's body included; 5 s to connect; 16 KiB of the answer are read. */
export const limits = { totalMs: 15_000, connectMs: 5000, answerBytes: 16 * 1024 };

export type Attempt = {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  signal: AbortSignal;
  /** Told when the receiver begins to answer. */
  onAnswer?: () => void;
  /** What an answer means, where it is not what it means for webhooks. */
  judge?: (answer: Answer, now: Date) => Outcome;
};

/**
 * Makes one attempt to post a body. Always resolves with what came of it, except where the fault is ours: where the attempt was
 * called off or the egress proxy does not work, the receiver has no part in it.
 */
export async function send(
  egress: Egress,
  { judge = outcomeOfAnswer, ...attempt }: Attempt,
  { totalMs, answerBytes } = limits,
): Promise<Outcome> {
  try {
    const { status, headers, body } = await request(egress, {
      method: 'POST',
      ...attempt,
      limits: { totalMs, answerBytes },
    });
    return judge({ statusCode: status, headers, text: body.toString() }, new Date());
  } catch (error) {
    if (error instanceof RequestFailed) return outcomeOfFailure(error);
    throw error;
  }
}
