/** What a provider has said of a person, after everything about how it said it was checked. */
export type Asserted = {
  /** Who says it: the OP's issuer, the IdP's entity id. */
  issuer: string;
  /** Whom it means by it: `sub`, or the NameID. */
  subject: string;
  /** Claims or attributes by name, as they came. Attributes with several values are arrays of texts. */
  claims: Readonly<Record<string, unknown>>;
};
