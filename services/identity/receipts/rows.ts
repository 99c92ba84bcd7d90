import type { HolderReport } from '@bailiwick/broker';
import type { AppSignOut } from '@bailiwick/proto/gen/bailiwick/sso/v1/sign_outs_pb.ts';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { HolderRow, RowKind, RowState } from './entities.ts';
import type { SettledRow } from './queries.ts';

// The rows of a receipt. They say no more than is known.

const blank = {
  sessionId: '',
  tenant: '',
  name: '',
  endsAt: null,
  detail: '',
  followers: 0,
  signOut: '',
};

/** The row of a process that held entries. `at`: after its answer, or after its lease was over. */
export const cacheRow = (
  { holder, state, name, kind, followers, followersWaited }: HolderReport,
  at: Date,
): HolderRow => ({
  ...blank,
  ...(state === 'dropped'
    ? { state, detail: detailOfFollowers(followersWaited) }
    : {
        state: 'ends',
        endsAt: at,
        detail: state === 'ended' ? 'it ended its lease' : 'its lease is over',
      }),
  kind,
  holder: holder === '' ? 'unknown' : holder,
  name: name.replace(/^bailiwick-/, ''),
  followers,
  at,
});

const detailOfFollowers = (followers: number): string =>
  followers === 0 ? '' : `followers that did not answer, whose leases are over: ${followers}`;

/** Clocks of verifiers run up to this much behind. */
const clockMs = 60_000;

/** The rows of an app: the session that it may keep, and the tokens that it holds. */
export const appRows = (signOut: AppSignOut, at: Date): HolderRow[] => {
  const { app, tenant, name, sessionId, id, tokenSeconds } = signOut;
  const ofApp = { ...blank, holder: app, tenant, name };
  return [
    { ...ofApp, ...rowOfSignOut(signOut, at), kind: 'session', sessionId, signOut: id },
    tokenRow({ id: app, tenant, name }, tokenSeconds, at),
  ];
};

/** The row of the access tokens that a bot or app holds. */
export const tokenRow = (
  { id, tenant, name }: { id: string; tenant: string; name: string },
  tokenSeconds: number,
  at: Date,
): HolderRow => ({
  ...blank,
  kind: 'token',
  holder: id,
  tenant,
  name,
  state: 'ends',
  at,
  endsAt: new Date(at.getTime() + tokenSeconds * 1000 + clockMs),
});

/** The row of the sessions that a locked app may keep. */
export const keptSessionsRow = (
  { id, tenant, name }: { id: string; tenant: string; name: string },
  at: Date,
): HolderRow => ({
  ...blank,
  kind: 'session',
  holder: id,
  tenant,
  name,
  state: 'unknown',
  at,
  detail: 'the app may keep sessions of its own',
});

/** The row of a record that the user made, which a lock does not end. */
export const ownRow = (
  kind: Extract<RowKind, 'bot' | 'app'>,
  { id, tenant, name }: { id: string; tenant: string; name: string },
  at: Date,
): HolderRow => ({ ...blank, kind, holder: id, tenant, name, state: 'kept', at });

const states: Record<string, RowState> = {
  waiting: 'waiting',
  retry: 'waiting',
  accepted: 'accepted',
  failed: 'failed',
  not_notified: 'unknown',
};

/** The state of a sign-out at a time. */
export function rowOfSignOut(signOut: AppSignOut, now: Date): SettledRow {
  const { id, state, reportedAt, endedAt } = signOut;
  const at = reportedAt ?? endedAt;
  return {
    signOut: id,
    state: states[state] ?? 'unknown',
    at: at ? timestampDate(at) : now,
    detail: detailOf(signOut),
  };
}

function detailOf({ state, statusCode, message }: AppSignOut): string {
  if (state === 'not_notified') return 'the app has no address for logouts, or is inactive';
  if (statusCode > 0) return `the app answered ${statusCode}`;
  return message;
}
