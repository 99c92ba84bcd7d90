import type { SessionProof } from '@bailiwick/contract';

/** In a question about a user who is not the caller, no session is involved. */
export const anySession = (tenant: string): SessionProof => ({
  ssoTenant: tenant,
  limitedTo: '',
  assurance: 'phishing_resistant',
  ownAssurance: '',
  operator: '',
  voucher: '',
});

/** The session's proof as parameters of a statement; null = no session is involved. */
export type ProofInTenants = {
  [Name in 'ssoTenant' | 'assurance' | 'ownAssurance']: string | null;
};

/** The parameters in the order in which the conditions below take them. */
export const proofValues = ({ ssoTenant, assurance, ownAssurance }: ProofInTenants) =>
  [ssoTenant, assurance, ownAssurance] as const;

export type ProofValues = ReturnType<typeof proofValues>;

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

const factorFrom = `(t.settings -> 'factor' ->> 'from')::timestamptz`;

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
    case t.settings -> 'factor' ->> case when ${factorFrom} <= now() then 'required' else 'before' end
      when 'any' then ${provenIn(ssoTenant, assurance, own)} in ('', 'aal1')
      when 'phishing_resistant' then ${provenIn(ssoTenant, assurance, own)} <> 'phishing_resistant'
    end, false)`;

/**
 * When the tenant demands more of a session without a change: its exemption from SSO ends, or a
 * second factor is required from then on. Null = never.
 */
export const nextDemand = `least(
    case when t.sso_lifted_until > now() then t.sso_lifted_until end,
    case when ${factorFrom} > now() then ${factorFrom} end)`;

/** Whether the tenant demands SSO or a second factor that the session lacks. */
export const demandsMore = (ssoTenant: string, assurance: string, own: string): string =>
  `(${missesSso(ssoTenant)} or ${missesFactor(ssoTenant, assurance, own)})`;

/** The assurance of a session that counts in a tenant. */
const provenIn = (ssoTenant: string, assurance: string, own: string): string =>
  `case when ${ssoTenant} in ('', t.id) then ${assurance} when ${ssoTenant}::text is not null then ${own} end`;

/**
 * Where a principal may read data of users: in these tenants, or everywhere. `everywhere` excludes
 * tenants that demand more of a session than its proof.
 */
export type Reach = ProofInTenants & { everywhere: boolean; tenants: readonly string[] };

export type ReachValues = [everywhere: boolean, tenants: string, ...proof: ProofValues];

/** The parameters $4 to $8 of `isInReach`. */
export const reachValues = ({ everywhere, tenants, ...proof }: Reach): ReachValues => [
  everywhere,
  tenants.join(','),
  ...proofValues(proof),
];

/** Whether a tenant, such as the column `g.tenant`, is active and within a reach. */
export const isInReach = (tenant: string): string =>
  `exists (select 1 from tenant t where t.id = ${tenant} and t.status = 'active' and (
             ${tenant} = any (string_to_array($5, ',')) or ($4 and not ${demandsMore('$6', '$7', '$8')})))`;
