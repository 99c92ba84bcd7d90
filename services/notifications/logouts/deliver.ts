import { Buffer } from 'node:buffer';
import { serviceOrigin } from '@bailiwick/contract';
import { type EgressRules, type Pools } from '@bailiwick/egress';
import { toServiceError } from '@bailiwick/errors';
import type {
  AppLogouts,
  AppLogoutsDeliverRequest,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/app_logouts_pb.ts';
import type { AppLogout } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { AppSignOuts } from '@bailiwick/proto/gen/bailiwick/sso/v1/sign_outs_pb.ts';
import type { PeerClient } from '@bailiwick/wire';
import packageJson from '../package.json' with { type: 'json' };
import { type DeliveryOutcome, dropped } from '../sending/delivery-outcome.ts';
import { resultOf } from '../sending/result.ts';
import type { Task, TaskAttempt } from '../sending/task.ts';
import { sendTraced } from '../sending/traced.ts';
import { outcomeOfLogoutAnswer } from './logout-outcome.ts';

export type LogoutDeps = {
  egress: EgressRules;
  pools: Pools;
  /** Signs the tokens. */
  logout: Pick<PeerClient<typeof AppLogout>, 'sign'>;
  /** Keeps the outcomes. */
  signOuts: Pick<PeerClient<typeof AppSignOuts>, 'report'>;
  /** How many attempts the schedule of a logout has. */
  logoutTries: number;
};

const headers = {
  'content-type': 'application/x-www-form-urlencoded',
  'user-agent': `Bailiwick-Logout/${packageJson.version}`,
};

const byService = serviceOrigin('notifications');

// Tells an app that a session has ended.

/** Makes exactly one attempt. The queue decides about the next one. */
export const deliverTask =
  (deps: LogoutDeps): Task<typeof AppLogouts.method.deliver> =>
  async (request, attempt, signal) => {
    const startedAt = new Date();
    const outcome = await attemptLogout(deps, request, { attempt, signal });
    await report(deps, attempt, outcome);
    const id = attempt.id || request.sessionId;
    return {
      response: { task: resultOf(id, attempt.number, startedAt, outcome) },
      retryAfterMs: outcome.retryAfterMs,
    };
  };

async function attemptLogout(
  deps: LogoutDeps,
  { tenant, endpoint: app, sessionId, userId }: AppLogoutsDeliverRequest,
  { attempt, signal }: { attempt: TaskAttempt; signal: AbortSignal },
): Promise<DeliveryOutcome> {
  const signed = await deps.logout.sign({ tenant, app, sessionId, userId }, byService);
  if (signed.status !== 'active')
    return dropped(signed.status === 'gone' ? 'endpoint_not_found' : 'endpoint_inactive');
  const body = Buffer.from(new URLSearchParams({ logout_token: signed.logoutToken }).toString());
  const posted = { url: signed.url, headers, body, signal };
  return sendTraced(
    deps,
    { ...posted, interpret: outcomeOfLogoutAnswer },
    { name: 'POST logout', endpoint: app, task: attempt },
  );
}

/**
 * Reports an attempt before its result is stored: a killed process repeats both. An sso of an earlier
 * version keeps no outcomes. @throws ServiceError if sso cannot be reached, so that the attempt is repeated
 */
async function report(
  { signOuts, logoutTries }: LogoutDeps,
  { id, number }: TaskAttempt,
  { status, statusCode, message }: DeliveryOutcome,
): Promise<void> {
  if (id === '') return;
  const isLast = status === 'retry' && number >= logoutTries;
  const state = isLast ? 'failed' : states[status];
  await signOuts.report({ id, state, statusCode, message }, byService).catch((error: unknown) => {
    if (toServiceError(error).code !== 'unimplemented') throw error;
  });
}

/** The state of a sign-out after an attempt. A dropped logout had no address to go to. */
const states = {
  delivered: 'accepted',
  retry: 'retry',
  failed: 'failed',
  dropped: 'not_notified',
} as const;
