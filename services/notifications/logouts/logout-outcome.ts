import { type Answer, type DeliveryOutcome, outcomeOfAnswer } from '../sending/delivery-outcome.ts';

/** OpenID Connect Back-Channel Logout 1.0, section 2.8, and 202 of apps that log out in a queue. */
const accepted: readonly number[] = [200, 202, 204];

/**
 * The outcome of an app's answer to a logout token. 400 is final: the app refuses the token
 * (section 2.8). 410 is final too. No other success says that the app has logged the user out.
 */
export function outcomeOfLogoutAnswer(answer: Answer, now: Date): DeliveryOutcome {
  const { statusCode } = answer;
  const isFinal = statusCode === 400 || statusCode === 410;
  const isSuccess = statusCode >= 200 && statusCode < 300;
  if (!isFinal && (!isSuccess || accepted.includes(statusCode)))
    return outcomeOfAnswer(answer, now);
  return {
    status: isFinal ? 'failed' : 'retry',
    statusCode,
    error: 'http_status',
    message: `the app answered ${statusCode}`,
  };
}
