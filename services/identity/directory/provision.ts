import {
  type Caller,
  changedFields,
  createId,
  type Email,
  normaliseEmail,
  timeAfter,
} from '@bailiwick/contract';
import { alreadyExists } from '@bailiwick/errors';
import { noticeTask } from '@bailiwick/outbox';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type {
  Directory,
  ProvisionedProfile,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { DomainOwner } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { type Database, lockName, onPool } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { voidEmailChanges, voidResetTokens } from '../account/queries.ts';
import { assertedProfile } from '../federation/asserted.ts';
import { rowOf } from '../rows.ts';
import { newUser, UserEntity, type UserRow, userJson, userRecord } from '../users/entities.ts';
import { lockExisting } from '../users/lock.ts';
import { addNewUsers, findUserByEmailKey, findUsers, settleEmail } from '../users/queries.ts';
import { recordUser } from '../users/records.ts';

type Deps = { database: Database; domainOwner: Pick<PeerClient<typeof DomainOwner>, 'find'> };

/** Users whom the directory of a tenant provisions. */
export function provisioningHandlers({
  database,
  domainOwner,
}: Deps): Pick<Handlers<typeof Directory>, 'provisionUser' | 'reviseUser'> {
  /** Whether the tenant, for which access calls, has verified the domain of an address. */
  const owns = async (tenant: string, { domain }: Email, call: Call) => {
    const request = { domain, activeTenant: tenant };
    return (await domainOwner.find(request, call, { signal: call.signal })).tenant === tenant;
  };

  return {
    async provisionUser({ tenant, profile, actor }, accessCall) {
      const call = inNameOf(actor, accessCall);
      const email = await settleEmail(database, normaliseEmail(profile?.email ?? ''));
      const [isOwner, stored] = await Promise.all([
        owns(tenant, email, call),
        findUserByEmailKey(onPool(database), email.key),
      ]);
      if (!stored && !isOwner) return { vouched: false };
      const { user, created } = stored
        ? { user: stored, created: false }
        : await createUser(database, email, profile, call);
      const { status, emailVerified, mailboxProven } = user;
      // An account that a social provider has opened at the address may be another person's.
      const isProved = status === 'active' && emailVerified && mailboxProven;
      return { user: userRecord(user), vouched: isOwner && isProved, created };
    },

    async reviseUser({ tenant, userId, profile, actor }, accessCall) {
      const call = inNameOf(actor, accessCall);
      const [stored] = await findUsers(database, [userId]);
      if (!stored || !(await owns(tenant, normaliseEmail(stored.email), call)))
        return { revised: false };
      const address = profile?.email ? normaliseEmail(profile.email) : undefined;
      const email = address && (await settleEmail(database, address));
      if (email && !(await owns(tenant, email, call))) return { revised: false };
      return { revised: await revise(database, stored, { profile, email }, call) };
    },
  };
}

/** The call as the audit shows it. access has verified the directory's bot. */
const inNameOf = (actor: Caller | undefined, accessCall: Call): Call =>
  actor
    ? {
        ...accessCall,
        operation: { ...accessCall.operation, name: 'Scim_Handle' },
        permission: 'iam.scim.write',
        caller: { ...actor, requestId: accessCall.caller.requestId },
      }
    : accessCall;

/** `created`: false if another call has made the account meanwhile. */
async function createUser(
  database: Database,
  email: Email,
  profile: ProvisionedProfile | undefined,
  call: Call,
): Promise<{ user: UserRow; created: boolean }> {
  return database.transaction({ call, tenant: null, row: rowOf.account(email.key) }, async (tx) => {
    await lockName(tx, rowOf.account(email.key));
    const stored = await findUserByEmailKey(tx.query, email.key);
    if (stored) return { user: stored, created: false };
    const user: UserRow = {
      ...newUser(createId('usr'), email, null, new Date()),
      ...(profile && assertedProfile({ ...profile, picture: '' })),
    };
    await addNewUsers(tx.query, [user]);
    recordUser(tx, 'user.registered', user);
    return { user, created: true };
  });
}

type Revision = { profile: ProvisionedProfile | undefined; email: Email | undefined };

/** Returns false if the address has changed since it was read. */
async function revise(
  database: Database,
  stored: UserRow,
  { profile, email }: Revision,
  call: Call,
): Promise<boolean> {
  return database.transaction({ call, tenant: null, row: rowOf.user(stored.id) }, async (tx) => {
    if (email) await lockName(tx, rowOf.account(email.key));
    const user = await lockExisting(tx, stored.id);
    if (user.emailKey !== stored.emailKey) return false;
    const before = userJson(user);
    const tasks = [];
    if (email && email.address !== user.email) {
      const holder = await tx.em.findOne(UserEntity, { emailKey: email.key });
      if (holder && holder.id !== user.id)
        throw alreadyExists('another account has the address', 'ADDRESS_TAKEN');
      tasks.push(noticeTask('address_changed', user.email, { locale: user.locale }));
      user.email = email.address;
      user.emailKey = email.key;
      // Mails on their way to the old address become void.
      await voidResetTokens(tx, user.id);
      await voidEmailChanges(tx, user.id);
    }
    const asserted = profile && assertedProfile({ ...profile, picture: '' });
    user.name = asserted?.name || user.name;
    user.givenName = asserted?.givenName || user.givenName;
    user.familyName = asserted?.familyName || user.familyName;
    user.locale = asserted?.locale || user.locale;
    const previous = changedFields(before, userJson(user));
    if (Object.keys(previous).length === 0) return true;
    user.updatedAt = timeAfter(user.updatedAt);
    recordUser(tx, 'user.updated', user, { previous, tasks });
    return true;
  });
}
