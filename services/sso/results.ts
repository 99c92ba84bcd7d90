// The results that the protocols, OIDC and SAML, return to the service.

/** A provider's verified statement about a person. */
export type AssertedIdentity = {
  /** The issuer: the OP's issuer, or the IdP's entity id. */
  issuer: string;
  /** The person: `sub`, or the NameID. */
  subject: string;
  /**
   * Claims or attributes by name, unchanged. Attributes with several values are arrays of texts.
   */
  claims: Readonly<Record<string, unknown>>;
  /**
   * How the provider says that it authenticated the person: acr and amr of the ID token, or the
   * AuthnContextClassRefs of the assertion. Never from attributes, which a person may be able to
   * edit.
   */
  contexts: readonly unknown[];
  /** Why the claims may be incomplete: a part of the answer could not be had. */
  incomplete?: string;
};

/** A result of the provider test, with a message that an administrator can act on. */
export type Finding = {
  /** The check's name in lower case: discovery, keys, redirect_address. */
  check: string;
  level: 'ok' | 'warning' | 'error';
  /** Contains no secret and no user's address. */
  message: string;
};
