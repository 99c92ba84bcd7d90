import { Buffer } from 'node:buffer';
import { type Database } from '@bailiwick/database';
import { type EgressRules, type Pools } from '@bailiwick/egress';
import type {
  AppLogouts,
  AppLogoutsDeliverRequest,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/app_logouts_pb.ts';
import type { AppLogout } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { type Call, type Handlers, type Pager } from '@bailiwick/rpc';
import type { Client } from '@connectrpc/connect';
import { attemptsHandler } from '../messages/attempts.ts';
import packageJson from '../package.json' with { type: 'json' };
import { type DeliveryOutcome, dropped } from '../sending/delivery-outcome.ts';
import { resultOf } from '../sending/result.ts';
import { taskOf } from '../sending/task-context.ts';
import { sendTraced } from '../sending/traced.ts';
import { outcomeOfLogoutAnswer } from './logout-outcome.ts';

type Deps = {
  database: Database;
  pager: Pager;
  egress: EgressRules;
  pools: Pools;
  /** Signs the tokens. */
  logout: Pick<Client<typeof AppLogout>, 'sign'>;
};

const headers = {
  'content-type': 'application/x-www-form-urlencoded',
  'user-agent': `Bailiwick-Logout/${packageJson.version}`,
};

/** Tells apps that a session has ended. */
export function logoutHandlers(deps: Deps): Handlers<typeof AppLogouts> {
  const attempts = attemptsHandler(deps, 'app');
  return {
    listAttempts: ({ app, ...asked }, call) =>
      attempts({ ...asked, endpoint: app, eventType: '' }, call),

    async deliver(request, call) {
      const startedAt = new Date();
      const task = taskOf(call.caller);
      const outcome = await attemptLogout(deps, request, call);
      task.retryAfterMs = outcome.retryAfterMs;
      const id = task.id || request.sessionId;
      return { task: resultOf(id, task.attempt, startedAt, outcome) };
    },
  };
}

/** Makes one attempt. The queue decides about the next one. */
async function attemptLogout(
  deps: Deps,
  { tenant, endpoint: app, sessionId, userId }: AppLogoutsDeliverRequest,
  call: Call,
): Promise<DeliveryOutcome> {
  const signed = await deps.logout.sign({ tenant, app, sessionId, userId });
  if (signed.status !== 'active')
    return dropped(signed.status === 'gone' ? 'endpoint_not_found' : 'endpoint_inactive');
  const body = Buffer.from(new URLSearchParams({ logout_token: signed.logoutToken }).toString());
  const posted = { url: signed.url, headers, body, signal: call.signal };
  return sendTraced(
    deps,
    { ...posted, interpret: outcomeOfLogoutAnswer },
    { name: 'POST logout', endpoint: app, task: taskOf(call.caller) },
  );
}
