import { type Answer, type DeliveryOutcome, outcomeOfAnswer } from '../sending/delivery-outcome.ts';

/**
 * The outcome of an app's answer to a logout token. 400 is final: the app refuses the token
 * (OpenID Connect Back-Channel Logout 1.0, section 2.8). 410 is final too.
 */
export function outcomeOfLogoutAnswer(answer: Answer, now: Date): DeliveryOutcome {
  const { statusCode } = answer;
  return statusCode === 400 || statusCode === 410
    ? {
        status: 'failed',
        statusCode,
        error: 'http_status',
        message: `the app answered ${statusCode}`,
      }
    : outcomeOfAnswer(answer, now);
}
