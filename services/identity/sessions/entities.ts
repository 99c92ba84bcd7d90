import type { Assurance } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import type { SessionSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/session_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

export const SessionEntity = defineEntity({
  name: 'Session',
  tableName: 'session',
  properties: {
    id: p.string().primary().columnType('text'),
    userId: p.text(),
    /** SHA-256 of the token. The token itself is not stored. */
    tokenHash: p.blob(),
    /** The first method: password, passkey, email_code, oidc, saml or oauth; or support. */
    authMethod: p.text(),
    /** The methods that followed it, such as a second factor. */
    furtherMethods: p.array().columnType('text[]').default([]),
    assurance: p.text().$type<Assurance>().default('aal1'),
    /** The part of it that other tenants than the provider's believe. */
    ownAssurance: p.text().$type<Assurance | ''>().default(''),
    provider: p.text(),
    /** The tenant of that provider. Not named "tenant": a session belongs to its user. */
    ssoTenant: p.text().default(''),
    /** Whether the provider was not confirmed at the sign-in: the session ends when it is. */
    unconfirmed: p.boolean().default(false),
    ip: p.text(),
    userAgent: p.text(),
    createdAt: p.datetime(3),
    /** The last proof of a factor after the sign-in, which counts as a recent sign-in. */
    provenAt: p.datetime(3).nullable(),
    lastSeenAt: p.datetime(3),
    expiresAt: p.datetime(3),
    /**
     * The session ends after this time without a call: 7 days, or the limit of a tenant in which it
     * is used.
     */
    idleMinutes: p.integer().default(10_080),
    /** The sign-in's session that this one takes on to an application; '' = none. */
    takenFrom: p.text().default(''),
    /** The operator who acts as the user in this session; '' = the user's own session. */
    operator: p.text().default(''),
    /** The operator's own session, with which this one ends. */
    operatorSession: p.text().default(''),
    /** Why the operator acts as the user. */
    reason: p.text().default(''),
    /** The user's tenants whose audit has the start of a support session. */
    toldTenants: p.array().columnType('text[]').default([]),
  },
  uniques: [{ name: 'session_token_hash', properties: ['tokenHash'] }],
  indexes: [
    { name: 'session_user_id', properties: ['userId'] },
    { name: 'session_expires_at', properties: ['expiresAt'] },
    {
      name: 'session_operator',
      properties: ['operator', 'operatorSession'],
      where: "operator <> ''",
    },
    { name: 'session_provider', properties: ['ssoTenant', 'provider'], where: "sso_tenant <> ''" },
  ],
});

type SessionRow = InferEntity<typeof SessionEntity>;

/** The fields of a session that its user sees. */
export type ListedSession = Omit<
  SessionRow,
  | 'tokenHash'
  | 'ssoTenant'
  | 'unconfirmed'
  | 'idleMinutes'
  | 'takenFrom'
  | 'provenAt'
  | 'ownAssurance'
  | 'operator'
  | 'operatorSession'
  | 'reason'
  | 'toldTenants'
> & {
  /** In a support session: who acts as the user, and why. */
  operator?: string;
  reason?: string;
  /** The only tenant in which the session has rights; '' = not limited. */
  limitedTo: string;
};

/** The record as the API returns it. `currentId` is the session of the call itself. */
export function sessionRecord(
  session: ListedSession,
  currentId: string,
): MessageInitShape<typeof SessionSchema> {
  return {
    id: session.id,
    userId: session.userId,
    authMethod: session.authMethod,
    authMethods: [session.authMethod, ...session.furtherMethods],
    assurance: session.assurance,
    provider: session.provider,
    ip: session.ip,
    userAgent: session.userAgent,
    createdAt: timestampFromDate(session.createdAt),
    lastSeenAt: timestampFromDate(session.lastSeenAt),
    expiresAt: timestampFromDate(session.expiresAt),
    current: session.id === currentId,
    limitedTo: session.limitedTo,
    operator: session.operator ?? '',
    reason: session.reason ?? '',
  };
}

/** A code that an application exchanges for a session. */
export const SignInCodeEntity = defineEntity({
  name: 'SignInCode',
  tableName: 'sign_in_code',
  properties: {
    tokenHash: p.blob().primary(),
    userId: p.text(),
    /** The address at issue: the code is void after a change of address. */
    emailKey: p.text(),
    // Not named "tenant": like the session, the row belongs to the user.
    ssoTenant: p.text(),
    provider: p.text(),
    unconfirmed: p.boolean().default(false),
    authMethod: p.text(),
    furtherMethods: p.array().columnType('text[]').default([]),
    assurance: p.text().$type<Assurance>().default('aal1'),
    ownAssurance: p.text().$type<Assurance | ''>().default(''),
    /** When its session last proved a factor after the sign-in. */
    provenAt: p.datetime(3).nullable(),
    /** The origin that the code was sent to: only its pages may use it. */
    origin: p.text(),
    /** IP and user agent of the browser that signed in. */
    ip: p.text(),
    userAgent: p.text(),
    /** The session that the code takes on to the application; '' = the code follows a sign-in. */
    sessionId: p.text().default(''),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  indexes: [
    { name: 'sign_in_code_user_id', properties: ['userId'] },
    { name: 'sign_in_code_provider', properties: ['ssoTenant', 'provider'] },
  ],
});

/** The session that another one takes on: the new one is no fresher and lasts no longer. */
export type TakenOn = {
  id: string;
  signedInAt: Date;
  endsAt: Date;
  idleMinutes: number;
};

/** How and from where the user signed in. */
export type SessionOrigin = {
  authMethod: string;
  furtherMethods: string[];
  assurance: Assurance;
  /** The assurance by factors that the user added without a tenant's provider; absent = none. */
  ownAssurance?: Assurance | '';
  /** When a factor was last proved after the sign-in; absent = never. */
  provenAt?: Date | null;
  provider: string;
  ssoTenant: string;
  /** Whether the provider was not confirmed; absent = confirmed. */
  unconfirmed?: boolean;
  ip: string;
  userAgent: string;
  takenOn?: TakenOn;
};

/** A sign-in with the account's own methods, which came from no provider. */
export const ownSignIn = (
  { caller: { ip, userAgent } }: Pick<Call, 'caller'>,
  proof: Pick<SessionOrigin, 'authMethod' | 'assurance'> & { furtherMethods?: string[] },
): SessionOrigin => ({ furtherMethods: [], ...proof, provider: '', ssoTenant: '', ip, userAgent });
