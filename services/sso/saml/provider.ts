export type SamlProvider = {
  idpEntityId: string;
  idpSsoUrl: string;
  /** PEM. More than one while the provider rotates its key. */
  idpCertificates: readonly string[];
  spEntityId: string;
  acsUrl: string;
  requestBinding: 'redirect' | 'post';
  /** PEM. */
  spPrivateKey: string;
  spCertificate: string;
  /** Whether our metadata names our encryption key, so that the provider encrypts. */
  wantEncrypted: boolean;
};
