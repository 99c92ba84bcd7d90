/** A provider's verified statement about a person. */
export type Asserted = {
  /** The issuer: the OP's issuer, or the IdP's entity id. */
  issuer: string;
  /** The person: `sub`, or the NameID. */
  subject: string;
  /**
   * Claims or attributes by name, unchanged. Attributes with several values are arrays of texts.
   */
  claims: Readonly<Record<string, unknown>>;
};
