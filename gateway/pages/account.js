// The account of this page's session.
import { call, hasCode } from './calls.js';
import { findAll } from './elements.js';
import { forgetLocale } from './language.js';
import { locale } from './texts.js';

/** @import { Account_GetRes, Account_RegisterReq } from '@bailiwick/client/gen/types.ts' */

/**
 * The signed-in user and their tenants; undefined without a session.
 * @returns {Promise<Account_GetRes | undefined>}
 */
export async function findAccount() {
  try {
    return await call('Account_Get', {});
  } catch (error) {
    if (hasCode(error, 'unauthenticated')) return undefined;
    throw error;
  }
}

/**
 * The account, as the page opens. Without a session it asks nothing: browsers would note the refusal
 * as an error.
 */
export const findVisitor = async () =>
  document.documentElement.dataset['visitor'] === 'anonymous' ? undefined : findAccount();

/**
 * Creates an account, with the language of this page.
 * @param {Account_RegisterReq} account
 */
export const createAccount = (account) => call('Account_Register', { ...account, Locale: locale });

/** Ends the session. It may have ended already. */
export async function signOut() {
  await call('Account_Logout', {}).catch((error) => {
    if (!hasCode(error, 'unauthenticated')) throw error;
  });
  forgetLocale();
}

/**
 * Shows the user's address where the page names it.
 * @param {string} address
 */
export function showAddress(address) {
  for (const element of findAll('[data-address]')) element.textContent = address;
}
