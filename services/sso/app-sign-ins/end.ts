import { createId } from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import type { Transaction } from '@bailiwick/store';
import {
  type LogoutTarget,
  listLogoutTargets,
  removeTokens,
  type SignIn,
  takeOfApp,
} from './queries.ts';
import { signInHash } from './record-hash.ts';

const signedOut = 'oauth_app.signed_out';

const hashOf = ({ sessionId, app }: SignIn): string => signInHash(sessionId, app);

/** Ends the sign-ins to an app that is deleted. It is not told. */
export async function endSignInsTo(tx: Transaction, tenant: string, app: string): Promise<void> {
  await removeTokens(tx, (await takeOfApp(tx, tenant, app)).map(hashOf));
}

/**
 * Ends what apps got from sessions, after the rows of the sign-ins were removed. Each app with an
 * address for it is told, once for a session, with a task in the same transaction.
 */
export async function endSignIns(tx: Transaction, signIns: readonly SignIn[]): Promise<void> {
  if (signIns.length === 0) return;
  const bySession = new Map(signIns.map((signIn) => [hashOf(signIn), signIn]));
  await removeTokens(tx, [...bySession.keys()]);
  const apps = new Set(signIns.map(({ app }) => app));
  const targets = new Map((await listLogoutTargets(tx, [...apps])).map((app) => [app.id, app]));
  for (const signIn of bySession.values()) {
    const app = targets.get(signIn.app);
    if (app) recordLogout(tx, app, signIn);
  }
}

function recordLogout(
  tx: Transaction,
  { tenant, id, name }: LogoutTarget,
  { sessionId, userId, place }: SignIn,
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
    tasks: [{ id: createId('tsk'), operation: 'AppLogouts_Deliver', request, extra: {} }],
  });
}
