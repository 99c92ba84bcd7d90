// The data that the gateway writes into a page for its scripts. Types only: the scripts are served as they are.

/** The texts of a page by their keys, and of errors by their causes: see callErrors. */
export type PageTexts = {
  texts: Readonly<Record<string, string>>;
  errors: Readonly<Record<string, string>>;
};

/** The operations that a form names in data-operation: they take the token of a mail's link. */
export type FormOperation = 'Account_Verify' | 'Account_ResetPassword';
