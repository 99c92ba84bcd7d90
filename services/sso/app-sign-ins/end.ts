import { createId } from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import type { Transaction } from '@bailiwick/store';
import { removeTokens, type SignIn, takeOfApp } from './queries.ts';
import { signInHash } from './record-hash.ts';
import {
  addSignOuts,
  listSignedOutApps,
  mostTokenSeconds,
  type NewSignOut,
} from './sign-outs/queries.ts';

const signedOut = 'oauth_app.signed_out';

const hashOf = ({ sessionId, app }: SignIn): string => signInHash(sessionId, app);

/** Ends the sign-ins to an app that is deleted. It is not told. */
export async function endSignInsTo(
  tx: Transaction,
  { tenant, id, name }: { tenant: string; id: string; name: string },
): Promise<void> {
  const bySession = oneEach(await takeOfApp(tx, tenant, id));
  await removeTokens(tx, [...bySession.keys()]);
  const app = { tenant, id, name, isTold: false, tokenSeconds: mostTokenSeconds };
  await addSignOuts(
    tx,
    [...bySession.values()].map((signIn) => ({ id: createId('tsk'), app, signIn })),
  );
}

/** One sign-in of each session to each app: it may have several, for several tenants. */
const oneEach = (signIns: readonly SignIn[]): Map<string, SignIn> =>
  new Map(signIns.map((signIn) => [hashOf(signIn), signIn]));

/**
 * Ends what apps got from sessions, after the rows of the sign-ins were removed. Each app with an
 * address for it is told, once for a session, with a task in the same transaction.
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
  for (const signOut of signOuts) if (signOut.app.isTold) recordLogout(tx, signOut);
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
