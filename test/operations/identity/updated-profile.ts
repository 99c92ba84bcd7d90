/** A user's own fields. */
export const profile = {
  Name: 'Ada',
  GivenName: 'A',
  FamilyName: 'L',
  Picture: 'https://a.example/p',
  Locale: 'de',
  Metadata: { a: '1' },
};

/** The same, cleared. */
export const noProfile = {
  Name: '',
  GivenName: '',
  FamilyName: '',
  Picture: '',
  Locale: '',
  Metadata: {},
};
