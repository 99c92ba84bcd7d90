import type { Caller } from '@bailiwick/call';

/** The part of a user's session that decides in which tenants the user's rights take effect. */
export type SessionProof = {
  /**
   * The tenant of the provider that the session came from; `platformPlace` = from a provider of the
   * platform; "" = from no provider.
   */
  ssoTenant: string;
  /**
   * The only tenant in which the session has rights; "" = not limited. Platform grants do not count
   * in a limited session.
   */
  limitedTo: string;
  /** aal1, aal2 or phishing_resistant; "" = aal1, from a process of the previous version. */
  assurance: string;
  /** In a session from a provider, the assurance by the user's factors of ours; "" = aal1. */
  ownAssurance: string;
};

/** In a question about a user who is not the caller, no session is involved. */
export const anySession = (tenant: string): SessionProof => ({
  ssoTenant: tenant,
  limitedTo: '',
  assurance: 'phishing_resistant',
  ownAssurance: '',
});

export const sessionOf = ({
  ssoTenant,
  limitedTo,
  assurance,
  ownAssurance,
}: Pick<Caller, 'ssoTenant' | 'limitedTo' | 'assurance' | 'ownAssurance'>): SessionProof => ({
  ssoTenant,
  limitedTo,
  assurance,
  ownAssurance,
});

/** The session's proof as parameters of a statement; null = no session is involved. */
export type ProofInTenants = {
  [Name in 'ssoTenant' | 'assurance' | 'ownAssurance']: string | null;
};

export const noSession: ProofInTenants = { ssoTenant: null, assurance: null, ownAssurance: null };

// A tenant (t) demands SSO or a second factor of the sessions that use it. Both conditions are
// false for null parameters.

/**
 * Whether the tenant does not accept how a session was opened: it requires SSO, and the session did
 * not come from its provider, or it refuses the session's method.
 */
export const missesSso = (ssoTenant: string): string =>
  `(coalesce(t.id <> ${ssoTenant} and t.settings @> '{"requireSso": true}', false) or ${refusesMethod(ssoTenant)})`;

/**
 * Whether the tenant accepts only the account's own methods, and the session came from a provider
 * of the platform or of another tenant.
 */
export const refusesMethod = (ssoTenant: string): string =>
  `coalesce(${ssoTenant} not in ('', t.id) and not t.settings -> 'allowedMethods' @> '["social"]', false)`;

/**
 * Whether a session lacks the second factor that the tenant requires. The provider of another
 * tenant proves nothing here, because its tenant could let it claim anything: only the user's
 * factors of ours count.
 */
export const missesFactor = (
  ssoTenant: string,
  assurance: string,
  own: string,
): string => `coalesce(
    case t.settings -> 'factor' ->> case when (t.settings -> 'factor' ->> 'from')::timestamptz <= now() then 'required' else 'before' end
      when 'any' then ${provenIn(ssoTenant, assurance, own)} in ('', 'aal1')
      when 'phishing_resistant' then ${provenIn(ssoTenant, assurance, own)} <> 'phishing_resistant'
    end, false)`;

/** The assurance of a session that counts in a tenant. */
const provenIn = (ssoTenant: string, assurance: string, own: string): string =>
  `case when ${ssoTenant} in ('', t.id) then ${assurance} when ${ssoTenant}::text is not null then ${own} end`;
