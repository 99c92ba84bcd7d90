import { Buffer } from 'node:buffer';
import { serviceOrigin } from '@bailiwick/contract';
import { type EgressRules, type Pools } from '@bailiwick/egress';
import type {
  AppLogouts,
  AppLogoutsDeliverRequest,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/app_logouts_pb.ts';
import type { AppLogout } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
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
