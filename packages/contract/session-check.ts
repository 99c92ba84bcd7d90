import { type Timestamp, timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';

// Whether a session satisfies a tenant, and when it ends there. access answers this once, in
// SessionCheck; a gateway, the issuer and introspection follow its answer.

const refusals = [
  'none',
  'suspended',
  'not_member',
  'other_tenant',
  'provider_unconfirmed',
  'method_refused',
  'sso_required',
  'factor_required',
] as const;

/** Why a tenant does not accept a session; `none` = it does. The proto file describes each. */
export type SessionRefusal = (typeof refusals)[number];

/** The refusal in a message. A missing or unknown one never opens anything. */
export const readRefusal = (text: string): SessionRefusal =>
  refusals.find((refusal) => refusal === text) ?? 'not_member';

/** The times of a session, as its record in identity has them. */
export type SessionTimes = { signedInAt: Timestamp; expiresAt: Timestamp; idleMinutes: number };

/** When a session ends at the latest, and after how many minutes without a call. */
export type SessionEnd = { endsAt: Timestamp; idleMinutes: number };

export type SessionCheck = { refusal: SessionRefusal } & Partial<SessionEnd>;

/** A principal or another record with the times of its session, if it is one. */
type Holder = {
  signedInAt?: Timestamp | undefined;
  expiresAt?: Timestamp | undefined;
  idleMinutes: number;
};

export const sessionTimes = (holder: Holder): SessionTimes | undefined => {
  const { signedInAt, expiresAt, idleMinutes } = holder;
  return signedInAt && expiresAt && { signedInAt, expiresAt, idleMinutes };
};

/** The limits of a tenant for the sessions of its members; 0 = none. */
type Limits = { idleMinutes: number; maxMinutes: number };

/** When a session ends in a tenant with these limits, which never lengthen it. */
export function endWithin(
  { signedInAt, expiresAt, idleMinutes: own }: SessionTimes,
  { idleMinutes, maxMinutes }: Limits,
): SessionEnd {
  const latest = timestampMs(signedInAt) + maxMinutes * 60_000;
  const endsSooner = maxMinutes > 0 && latest < timestampMs(expiresAt);
  return {
    endsAt: endsSooner ? timestampFromMs(latest) : expiresAt,
    idleMinutes: idleMinutes > 0 ? Math.min(own, idleMinutes) : own,
  };
}

/**
 * The change that makes the record of a session end when access says; undefined if it does already.
 * A tenant shortens a session with its first use there, and not before.
 */
export function recordLimits(
  { credentialId: sessionId, ...holder }: Holder & { credentialId: string },
  { endsAt, idleMinutes }: SessionCheck,
): { sessionId: string; idleMinutes: number; maxMinutes: number } | undefined {
  const times = sessionTimes(holder);
  if (!times || !endsAt || idleMinutes === undefined) return undefined;
  const endsSooner = timestampMs(endsAt) < timestampMs(times.expiresAt);
  if (!endsSooner && idleMinutes >= times.idleMinutes) return undefined;
  const lasts = timestampMs(endsAt) - timestampMs(times.signedInAt);
  return { sessionId, idleMinutes, maxMinutes: endsSooner ? Math.round(lasts / 60_000) : 0 };
}

// Before SessionCheck, flags said this. For the update from that version, access and the gateway
// still write them, and the readers of an answer or a caller token without a check read them. Both
// go with the first release that does not update from it.

type Flags = {
  suspendedName: string;
  providerUnconfirmed: boolean;
  methodRefused: boolean;
  ssoRequired: boolean;
  factorRequired: boolean;
};

/** The flags that mean the same as a refusal to a process of the previous version. */
export const refusalFlags = (refusal: SessionRefusal) => ({
  providerUnconfirmed: refusal === 'provider_unconfirmed',
  methodRefused: refusal === 'method_refused',
  ssoRequired: refusal === 'sso_required' || refusal === 'method_refused',
  factorRequired: refusal === 'factor_required',
});

/** The refusal as a caller token carries it. */
export const tokenRefusal = (refusal: SessionRefusal) => ({
  sessionRefusal: refusal,
  ...refusalFlags(refusal),
});

/** The refusal in a caller token: of a gateway of the previous version, by the flags. */
export function refusalInToken(caller: Flags & { sessionRefusal: string }): SessionRefusal {
  if (caller.sessionRefusal !== '') return readRefusal(caller.sessionRefusal);
  if (caller.suspendedName !== '') return 'suspended';
  if (caller.providerUnconfirmed) return 'provider_unconfirmed';
  if (caller.methodRefused) return 'method_refused';
  if (caller.ssoRequired) return 'sso_required';
  return caller.factorRequired ? 'factor_required' : 'none';
}

type Effective = Flags & {
  session?: { refusal: string; endsAt?: Timestamp | undefined; idleMinutes: number } | undefined;
  activeMember?: boolean | undefined;
  sessionIdleMinutes: number;
  sessionMaxMinutes: number;
};

/** The check in an answer of access: of the previous version, by the flags and limits. */
export function sessionCheckOf(effective: Effective, times?: SessionTimes): SessionCheck {
  const { session, activeMember, sessionIdleMinutes, sessionMaxMinutes } = effective;
  if (session) {
    const { refusal, endsAt, idleMinutes } = session;
    return { refusal: readRefusal(refusal), ...(endsAt && { endsAt, idleMinutes }) };
  }
  const refusal = refusalInToken({ ...effective, sessionRefusal: '' });
  const limits = { idleMinutes: sessionIdleMinutes, maxMinutes: sessionMaxMinutes };
  return {
    refusal: activeMember === true || refusal === 'suspended' ? refusal : 'not_member',
    ...(times && endWithin(times, limits)),
  };
}
