// The options of this installation. Without an answer the pages offer less.
import { call } from './calls.js';

/** @import { Account_SignInOptionsRes } from '@bailiwick/client/gen/types.ts' */

/** @type {Account_SignInOptionsRes} */
const none = {
  EmailCode: false,
  Registration: '',
  PasswordLength: 0,
  AppURL: '',
  BreachCheck: false,
};

/** @type {Promise<Account_SignInOptionsRes> | undefined} */
let options;

/** Asks the service once a page. */
export function getOptions() {
  options ??= call('Account_SignInOptions', {}).then(
    (answer) => ({ ...none, ...answer }),
    () => none,
  );
  return options;
}

/**
 * Shows a link to the installation's application, if it has one.
 * @param {HTMLAnchorElement} link
 */
export async function showApplication(link) {
  const { AppURL } = await getOptions();
  link.hidden = AppURL === '';
  link.href = AppURL;
}
