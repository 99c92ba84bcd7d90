import type { Database, Statement, Transaction } from '@bailiwick/store';
import { type LinkTrust, markOf } from './trust.ts';

// All code locks rows in one order: the user, its links, its codes, its sessions.

/** Identifies a person at a provider. The address is not part of it. */
export type ProvidersIdentity = {
  tenant: string;
  provider: string;
  issuer: string;
  subject: string;
};

export async function findLinkedUser(
  tx: Transaction,
  { tenant, provider, issuer, subject }: ProvidersIdentity,
): Promise<string | undefined> {
  const [row] = await tx.query<{ user_id: string }>(
    'select user_id from identity_link where tenant = $1 and provider = $2 and issuer = $3 and subject = $4',
    [tenant, provider, issuer, subject],
  );
  return row?.user_id;
}

/**
 * The trust in an identity, if it is still linked to that user. Locks the link until the
 * transaction ends.
 */
export async function lockIdentity(
  tx: Transaction,
  { tenant, provider, issuer, subject }: ProvidersIdentity,
  userId: string,
): Promise<LinkTrust | undefined> {
  const [row] = await tx.query<LinkTrust>(
    `select trust, lapsed from identity_link
     where tenant = $1 and provider = $2 and issuer = $3 and subject = $4 and user_id = $5 for update`,
    [tenant, provider, issuer, subject, userId],
  );
  return row;
}

/** Records the use of a user's identity at a provider, and the current trust in it. */
export async function useIdentity(
  tx: Transaction,
  { tenant, provider }: ProvidersIdentity,
  userId: string,
  { trust, lapsed }: LinkTrust,
): Promise<void> {
  await tx.query(
    'update identity_link set last_used_at = now(), trust = $4, lapsed = $5 where tenant = $1 and provider = $2 and user_id = $3',
    [tenant, provider, userId, trust, lapsed],
  );
}

const addressOf: Statement<
  { userId: string; email: string },
  [tenant: string, provider: string, issuer: string, subject: string]
> = {
  name: 'identity.address_of_identity',
  text: `select l.user_id as "userId", u.email from identity_link l join user_account u on u.id = l.user_id
         where l.tenant = $1 and l.provider = $2 and l.issuer = $3 and l.subject = $4`,
};

/** The user that an identity is linked to, with the address of the account. */
export async function findAddressOf(
  database: Database,
  { tenant, provider, issuer, subject }: ProvidersIdentity,
): Promise<{ userId: string; email: string } | undefined> {
  const [row] = await database.query(addressOf, [tenant, provider, issuer, subject]);
  return row;
}

const undecided: Statement<
  { id: string },
  [tenant: string, provider: string, issuer: string, subject: string, emailKey: string]
> = {
  name: 'identity.undecided_link',
  text: `
  with known as (select l.user_id, l.trust from identity_link l where l.tenant = $1 and l.provider = $2 and l.issuer = $3 and l.subject = $4)
  select k.user_id as id from known k where k.trust = 'address'
  union all
  select u.id from user_account u where u.email_key = $5 and not exists (select from known)`,
};

/**
 * The account that an identity is linked to, or will be linked to, if the trust in the link is not
 * decided yet.
 */
export async function findUndecided(
  database: Database,
  { tenant, provider, issuer, subject }: ProvidersIdentity,
  emailKey: string,
): Promise<string | undefined> {
  const [row] = await database.query(undecided, [tenant, provider, issuer, subject, emailKey]);
  return row?.id;
}

const identityElsewhere: Statement<unknown, [userId: string, tenant: string]> = {
  name: 'identity.identity_elsewhere',
  text: 'select 1 as one from identity_link where user_id = $1 and tenant <> $2 limit 1',
  across: 'the trust of a link depends on identities of the user in other tenants',
};

/** Whether a user has a link to a provider of another tenant. */
export async function hasIdentityElsewhere(
  tx: Transaction,
  userId: string,
  tenant: string,
): Promise<boolean> {
  return (await tx.query(identityElsewhere, [userId, tenant])).length > 0;
}

export type LinkToConfirm = LinkTrust & {
  tenant: string;
  passwordMark: string | null;
  createdAt: string;
};

const lockedLink: Statement<LinkToConfirm, [userId: string, provider: string]> = {
  name: 'identity.lock_link',
  text: 'select tenant, trust, lapsed, password_mark as "passwordMark", created_at as "createdAt" from identity_link where user_id = $1 and provider = $2 for update',
  across: "a user's own link; returns the tenant of its provider",
};

/** A user's link to a provider, locked until the transaction ends. */
export async function lockLink(
  tx: Transaction,
  userId: string,
  provider: string,
): Promise<LinkToConfirm | undefined> {
  const [row] = await tx.query(lockedLink, [userId, provider]);
  return row;
}

export async function confirmLink(
  tx: Transaction,
  tenant: string,
  provider: string,
  userId: string,
): Promise<void> {
  await tx.query(
    "update identity_link set trust = 'confirmed' where tenant = $1 and provider = $2 and user_id = $3",
    [tenant, provider, userId],
  );
}

const passwordMark: Statement<
  never,
  [userId: string, before: string | null, after: string | null]
> = {
  name: 'identity.carry_password_mark',
  text: 'update identity_link set password_mark = $3 where user_id = $1 and password_mark = $2',
  across: "updates the password mark of all the user's links",
};

/**
 * Updates the password marks of links when a stored hash is replaced, after the user has proved to
 * know the password.
 */
export async function carryMark(
  tx: Transaction,
  userId: string,
  before: string | null | undefined,
  after: string,
): Promise<void> {
  await tx.query(passwordMark, [userId, markOf(before), markOf(after)]);
}

/**
 * Whether a user has an identity at a provider. Locks the link against deletion until the
 * transaction ends.
 */
export async function holdIdentityAt(
  tx: Transaction,
  { tenant, provider }: { tenant: string; provider: string },
  userId: string,
): Promise<boolean> {
  const rows = await tx.query(
    'select 1 as one from identity_link where tenant = $1 and provider = $2 and user_id = $3 for share',
    [tenant, provider, userId],
  );
  return rows.length > 0;
}
