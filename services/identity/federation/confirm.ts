import { denied, invalid, notFound } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { UsersConfirmIdentityRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { Database, Transaction } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { assertFactorUsed } from '../factors/changes.ts';
import { operatorNotice, provenOperator } from '../operators/acts.ts';
import { waiterOf } from '../passwords/imported-lane.ts';
import type { Passwords } from '../passwords/passwords.ts';
import type { Throttle } from '../passwords/throttle.ts';
import { rowOf } from '../rows.ts';
import { assertMayActAs } from '../users/acting.ts';
import type { UserRow } from '../users/entities.ts';
import { lockExisting } from '../users/lock.ts';
import { findUsers } from '../users/queries.ts';
import { providerTarget } from './admit.ts';
import { findOpening } from './identities/queries.ts';
import { confirmLink, type LinkToConfirm, lockLink } from './queries.ts';
import { isLimited, markOf } from './trust.ts';

export type ConfirmDeps = {
  database: Database;
  passwords: Passwords;
  throttle: Throttle;
  authority: Pick<PeerClient<typeof Authority>, 'mayActAs'>;
};

/**
 * Extends a link to the whole account. The user proves ownership of the account with a credential
 * older than the link.
 */
export async function confirmIdentity(
  deps: ConfirmDeps,
  request: UsersConfirmIdentityRequest,
  call: Call,
): Promise<void> {
  const { userId, provider } = request;
  const isSelf = call.allowedBy?.kind === 'self';
  if (!isSelf) await assertMayActAs(deps, userId, call);
  const operator = await provenOperator(deps.database, userId, request.reason, call);
  const provenHash =
    isSelf && request.password !== '' ? await provePassword(deps, request, call) : undefined;
  await deps.database.transaction({ call, tenant: null, row: rowOf.user(userId) }, async (tx) => {
    const user = await lockExisting(tx, userId);
    // The password alone opens no session of this account, so it gives this one no rights either.
    if (isSelf) await assertFactorUsed(tx.query, call.caller);
    const link = await lockLink(tx, userId, provider);
    if (!link) throw notFound('identity');
    if (isSelf) await assertOlder(tx, { user, link, provenHash }, call);
    if (link.trust === 'confirmed') return;
    await confirmLink(tx, link.tenant, provider, userId);
    const targets = [{ Type: 'user', ID: userId, Name: user.email }, providerTarget({ provider })];
    record(tx, {
      tenant: link.tenant,
      type: 'user.identity_confirmed',
      data: null,
      targets,
      ...operatorNotice(operator, 'identity_confirmed', user),
    });
  });
}

/** Compares the request's password with the stored hash and returns the hash. */
async function provePassword(
  { database, passwords, throttle }: ConfirmDeps,
  { userId, password }: UsersConfirmIdentityRequest,
  call: Call,
): Promise<string> {
  const [user] = await findUsers(database, [userId]);
  if (!user) throw notFound('user');
  const holds = await throttle.attempt(user.emailKey, call.caller.ip, (_account, until) =>
    passwords.verify(user.passwordHash, password, waiterOf(call, until)),
  );
  if (!holds || !user.passwordHash) throw denied('Password is wrong', 'WRONG_PASSWORD');
  return user.passwordHash;
}

type Claim = { user: UserRow; link: LinkToConfirm; provenHash: string | undefined };

/**
 * Throws permission_denied unless the given password, or the credential behind the session, is
 * older than the link.
 */
async function assertOlder(
  tx: Transaction,
  { user, link, provenHash }: Claim,
  { caller }: Call,
): Promise<void> {
  // The password was changed during the check.
  if (provenHash !== undefined && provenHash !== user.passwordHash)
    throw denied('Password is wrong', 'WRONG_PASSWORD');
  if (provenHash === undefined && caller.limitedTo !== '')
    throw invalid('Password is required in a session that is limited to one organisation');
  const isOlder =
    provenHash === undefined
      ? await cameByOlder(tx, user, link, caller.credentialId)
      : isOlderPassword(user, link);
  if (!isOlder)
    throw denied(
      'this credential is not older than the link: ask the operator of this service to confirm it',
      'CREDENTIAL_TOO_NEW',
    );
}

/**
 * Whether the session was opened by a password or an identity that is older than the link and not
 * limited.
 */
async function cameByOlder(
  tx: Transaction,
  user: UserRow,
  link: LinkToConfirm,
  sessionId: string,
): Promise<boolean> {
  const opening = await findOpening(tx, user.id, sessionId);
  if (opening?.authMethod === 'password') return isOlderPassword(user, link);
  const { trust, lapsed, linkedAt } = opening ?? {};
  if (trust === undefined || lapsed === undefined || linkedAt === undefined) return false;
  return !isLimited({ trust, lapsed }) && new Date(linkedAt) < new Date(link.createdAt);
}

const isOlderPassword = ({ passwordHash }: UserRow, { passwordMark }: LinkToConfirm): boolean =>
  passwordMark !== null && passwordMark === markOf(passwordHash);
