// The steps after a sign-in on the sign-in page: a factor that is due, a choice of tenants, or the
// account.
import { find, findIn } from './elements.js';
import { startEnrolling } from './enrol.js';
import { useLocaleOf } from './language.js';
import { cameFrom, findUnmet, isInAddress, isStepUp, onward, returnTo } from './onward.js';
import { supported } from './passkey.js';
import { email, show, signInTitle } from './sign-in-form.js';
import { entryOf, suspendedEntryOf } from './tenants.js';
import { text } from './texts.js';

/** @import { Account_GetRes } from '@bailiwick/client/gen/types.ts' */

/**
 * Pages of this service add factors too, and ask for them where they are needed.
 * @param {Account_GetRes} account
 */
const findDue = (account) => (onward && !isStepUp ? undefined : findUnmet(account));

/**
 * Shows the step that adds a factor, if a tenant requires one that the session lacks. Returns whether
 * it does.
 * @param {Account_GetRes} account
 */
export async function showEnrolment(account, tenant = findDue(account)) {
  if (!tenant) return false;
  const [part, focus] = await startEnrolling(tenant);
  email.value = account.User.Email;
  show(part, signInTitle, focus);
  return true;
}

/**
 * Whether the user chooses a tenant, whose application comes next.
 * @param {Account_GetRes} account
 */
export const hasChoice = ({ Tenants }) =>
  returnTo === '' &&
  Tenants.length > 1 &&
  Tenants.some(({ AppURL }) => AppURL) &&
  !Tenants.some(isInAddress);

/**
 * Whether the user comes from a provider, and goes on as after a sign-in on this page. Only once: a
 * reload, and the way back from the application, show the account.
 */
export function takeSignedIn() {
  const here = new URL(location.href);
  if (!here.searchParams.has('signed_in') || returnTo !== '') return false;
  here.searchParams.delete('signed_in');
  history.replaceState(null, '', here);
  return true;
}

/** Whether the installation has an application. */
let hasApplication = false;

/** Offers to go on to the installation's application. */
export function offerApplication() {
  hasApplication = true;
}

/**
 * Shows the signed-in user.
 * @param {Account_GetRes} account
 */
export function welcome({ User, Tenants, SuspendedTenants, Assurance }) {
  useLocaleOf(User);
  email.value = User.Email;
  const entries = [
    ...Tenants.map((tenant) => entryOf(tenant, Assurance)),
    ...SuspendedTenants.map(suspendedEntryOf),
  ];
  find('tenants').hidden = entries.length === 0;
  findIn(find('tenants'), 'ul').replaceChildren(...entries);
  find('passkeys').hidden = !supported;
  find('onward').hidden = !cameFrom && !hasApplication;
  show('known', text('login.signedIn'));
}
