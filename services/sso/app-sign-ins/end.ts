import { createId, type Origin } from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import type { Database, Transaction } from '@bailiwick/store';
import { rowOf } from '../rows.ts';
import { removeTokens, type SignIn, takeOfApp } from './queries.ts';
import { signInHash } from './record-hash.ts';
import {
  addSignOuts,
  listSignedOutApps,
  maxTokenSeconds,
  type NewSignOut,
} from './sign-outs/queries.ts';

const signedOut = 'oauth_app.signed_out';

const hashOf = ({ sessionId, app }: SignIn): string => signInHash(sessionId, app);

type App = { tenant: string; id: string; name: string };

/** A transaction with this many sign-ins is well within the time that a statement may take. */
const batch = 1000;

/** Ends the sign-ins to an app that is inactive, in several transactions. The app is not notified. */
export async function endAllSignInsTo(database: Database, call: Origin, app: App): Promise<void> {
  const { tenant, id } = app;
  const scope = { call, tenant, row: rowOf.app(tenant, id) };
  while ((await database.transaction(scope, (tx) => endSignInsTo(tx, app, batch))) === batch);
}

/** Ends sign-ins to an app that is inactive or deleted. Returns how many, at most `limit`. */
export async function endSignInsTo(
  tx: Transaction,
  { tenant, id, name }: App,
  limit: number | null = null,
): Promise<number> {
  const signIns = await takeOfApp(tx, tenant, id, limit);
  const bySession = oneEach(signIns);
  await removeTokens(tx, [...bySession.keys()]);
  const app = { tenant, id, name, isNotified: false, tokenSeconds: maxTokenSeconds };
  await addSignOuts(
    tx,
    [...bySession.values()].map((signIn) => ({ id: createId('tsk'), app, signIn })),
  );
  return signIns.length;
}

/** One sign-in of each session to each app: it may have several, for several tenants. */
const oneEach = (signIns: readonly SignIn[]): Map<string, SignIn> =>
  new Map(signIns.map((signIn) => [hashOf(signIn), signIn]));

/**
 * Ends what apps got from sessions, after the rows of the sign-ins were removed. Each app with an
 * address for it is notified, once for a session, with a task in the same transaction.
 */
export async function endSignIns(tx: Transaction, signIns: readonly SignIn[]): Promise<void> {
  if (signIns.length === 0) return;
  const bySession = oneEach(signIns);
  await removeTokens(tx, [...bySession.keys()]);
  const ids = new Set(signIns.map(({ app }) => app));
  const apps = new Map((await listSignedOutApps(tx, [...ids])).map((app) => [app.id, app]));
  const signOuts = [...bySession.values()].flatMap((signIn): NewSignOut[] => {
    const app = apps.get(signIn.app);
    return app ? [{ id: createId('tsk'), app, signIn }] : [];
  });
  await addSignOuts(tx, signOuts);
  for (const signOut of signOuts) if (signOut.app.isNotified) recordLogout(tx, signOut);
}

function recordLogout(
  tx: Transaction,
  { id: task, app: { tenant, id, name }, signIn: { sessionId, userId, place } }: NewSignOut,
): void {
  const request = {
    Tenant: tenant,
    Endpoint: id,
    Type: signedOut,
    SessionID: sessionId,
    UserID: userId,
  };
  record(tx, {
    tenant: place,
    type: signedOut,
    data: null,
    targets: [
      { Type: 'oauth_app', ID: id, Name: name },
      { Type: 'user', ID: userId, Name: '' },
      { Type: 'session', ID: sessionId, Name: '' },
    ],
    tasks: [{ id: task, operation: 'AppLogouts_Deliver', request, extra: {} }],
  });
}
