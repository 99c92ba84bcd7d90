import { createId } from '@bailiwick/contract';
import { type Origin, recordChange } from '@bailiwick/outbox';
import type { EntityManager } from '@bailiwick/store';
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
export async function endSignInsTo(em: EntityManager, tenant: string, app: string): Promise<void> {
  await removeTokens(em, (await takeOfApp(em, tenant, app)).map(hashOf));
}

/**
 * Ends what apps got from sessions, after the rows of the sign-ins were removed. Each app with an
 * address for it is told, once for a session, with a task in the same transaction.
 */
export async function endSignIns(
  em: EntityManager,
  origin: Origin,
  signIns: readonly SignIn[],
): Promise<void> {
  if (signIns.length === 0) return;
  const bySession = new Map(signIns.map((signIn) => [hashOf(signIn), signIn]));
  await removeTokens(em, [...bySession.keys()]);
  const apps = new Set(signIns.map(({ app }) => app));
  const targets = new Map((await listLogoutTargets(em, [...apps])).map((app) => [app.id, app]));
  for (const signIn of bySession.values()) {
    const app = targets.get(signIn.app);
    if (app) recordLogout(em, origin, app, signIn);
  }
}

function recordLogout(
  em: EntityManager,
  origin: Origin,
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
  recordChange(em, origin, {
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
