import { createToken, tokenHash, tokenKind } from '@bailiwick/contract';
import { deadToken, failedPrecondition, unauthenticated } from '@bailiwick/errors';
import { noticeTask, record } from '@bailiwick/outbox';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { AdmitRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import { type Database, lockName, type Transaction } from '@bailiwick/store';
import { assertFactorUsed } from '../../factors/changes.ts';
import { rowOf } from '../../rows.ts';
import { beganAfter } from '../../sessions/sign-in/queries.ts';
import type { UserRow } from '../../users/entities.ts';
import { lockActive } from '../../users/lock.ts';
import { assertUnlinked, persistLink, providerTarget } from '../admit.ts';
import { PendingLinkEntity } from '../entities.ts';
import { findLinkedUser } from '../queries.ts';
import {
  consumePendingLink,
  findPendingLink,
  type PendingLink,
  voidPendingLinks,
} from './queries.ts';

// A verified address does not prove that its holder owns the account: a provider may err, and
// addresses change hands. So a social sign-in with the address of an account waits here until the
// account's own user has signed in, in the same browser.

const lifetimeMs = 10 * 60_000;

/** Remembers an identity to link. Returns the token for the browser. */
export async function storePendingLink(
  tx: Transaction,
  { provider, tenantName: providerName, issuer, subject, email }: AdmitRequest,
  { id: userId, emailKey }: UserRow,
): Promise<string> {
  const token = createToken('link');
  const createdAt = new Date();
  await voidPendingLinks(tx, userId, provider);
  tx.em.persist(
    tx.em.create(PendingLinkEntity, {
      tokenHash: tokenHash(token),
      userId,
      emailKey,
      provider,
      providerName,
      issuer,
      subject,
      email,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + lifetimeMs),
    }),
  );
  return token;
}

type Deps = { database: Database };

export function linkHandlers({ database }: Deps): Pick<Handlers<typeof Account>, 'linkIdentity'> {
  return {
    async linkIdentity({ token }, call) {
      if (tokenKind(token) !== 'link') throw deadToken();
      const hash = tokenHash(token);
      const pending = await findPendingLink(database, hash);
      if (!pending) throw deadToken();
      const identity = { ...pending, tenant: '' };
      const row = rowOf.identity(identity);
      await database.transaction({ call, tenant: '', row }, async (tx) => {
        // Names are locked before rows, as everywhere.
        await lockName(tx, row);
        const user = await lockActive(tx, call.caller.id);
        if (!user) throw unauthenticated();
        await assertSignedInFor(tx, pending, user, call);
        // A link is one more way to sign in, without a factor.
        await assertFactorUsed(tx.query, call.caller);
        if (!(await consumePendingLink(tx, hash, user.emailKey))) throw deadToken();
        await assertUnlinked(tx, identity, user);
        if ((await findLinkedUser(tx, identity)) !== undefined) throw deadToken();
        persistLink(tx, identity, user, { trust: 'confirmed', unconfirmed: false });
        record(tx, {
          tenant: '',
          type: 'user.identity_linked',
          data: null,
          targets: [{ Type: 'user', ID: user.id, Name: user.email }, providerTarget(identity)],
          tasks: [
            noticeTask('social_linked', user.email, {
              locale: user.locale,
              name: pending.providerName,
            }),
          ],
        });
      });
      return { provider: pending.provider, name: pending.providerName };
    },
  };
}

/** Throws failed_precondition unless the pending link's user has signed in since it was made. */
async function assertSignedInFor(
  tx: Transaction,
  { userId, createdAt }: PendingLink,
  user: UserRow,
  { caller }: Call,
): Promise<void> {
  if (userId !== user.id)
    throw failedPrecondition(
      'the address of that sign-in belongs to another account',
      'LINK_FOREIGN',
    );
  if (!(await beganAfter(tx, caller.credentialId, createdAt)))
    throw failedPrecondition('sign in again, so that the identity can be linked', 'LINK_STALE');
}
