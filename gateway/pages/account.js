// The account of this page's session.
import { call } from './calls.js';
import { forgetLocale } from './language.js';
import { locale } from './texts.js';

/** The signed-in user and their tenants; undefined without a session. */
export async function findAccount() {
  try {
    return await call('Account_Get', {});
  } catch (error) {
    if (error.code === 'unauthenticated') return undefined;
    throw error;
  }
}

/** Creates an account, with the language of this page. */
export async function createAccount(account) {
  try {
    return await call('Account_Register', { ...account, Locale: locale });
  } catch (error) {
    if (error.code !== 'invalid_argument') throw error;
    // A gateway of the previous version does not know the field. Any other fault is found again.
    return call('Account_Register', account);
  }
}

/** Ends the session. It may have ended already. */
export async function signOut() {
  await call('Account_Logout', {}).catch((error) => {
    if (error.code !== 'unauthenticated') throw error;
  });
  forgetLocale();
}

/** Shows the user's address where the page names it. */
export function showAddress(address) {
  for (const place of document.querySelectorAll('[data-address]')) place.textContent = address;
}
