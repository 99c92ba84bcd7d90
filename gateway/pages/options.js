// The options of this installation. Without an answer the pages offer less.
import { call } from './calls.js';

const none = {
  EmailCode: false,
  Registration: '',
  PasswordLength: 0,
  AppURL: '',
  BreachCheck: false,
};

let asked;

/** Asks the service once a page. */
export function getOptions() {
  asked ??= call('Account_SignInOptions', {}).then(
    (answer) => ({ ...none, ...answer }),
    () => none,
  );
  return asked;
}

/** Shows a link to the installation's application, if it has one. */
export async function showApplication(link) {
  const { AppURL } = await getOptions();
  link.hidden = AppURL === '';
  link.href = AppURL;
}
