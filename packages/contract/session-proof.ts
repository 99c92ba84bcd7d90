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
  /** The operator of a support session, in which platform grants do not count; "" = the user's own. */
  operator: string;
  /**
   * Who answers for the session's provider while it is not confirmed (voucher.ts); "" = confirmed, or
   * from no provider.
   */
  voucher: string;
};

/** The proof of a caller, or of another record with the same fields. */
export const sessionProof = ({
  ssoTenant,
  limitedTo,
  assurance,
  ownAssurance,
  operator,
  voucher,
}: SessionProof): SessionProof => ({
  ssoTenant,
  limitedTo,
  assurance,
  ownAssurance,
  operator,
  voucher,
});
