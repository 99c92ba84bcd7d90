// The buttons of the platform's providers, and the link between such a provider and an account that
// existed before.
import { call, hasCode, hasReason, Refused } from './calls.js';
import { find, findIn } from './elements.js';
import { returnTo, tenantInAddress } from './onward.js';
import { text, write } from './texts.js';

/** @import { SocialProvider } from '@bailiwick/client/gen/types.ts' */

/** Whether a social sign-in waits to be linked: its user signs in on this page first. */
export const isLinking = new URLSearchParams(location.search).has('link');

/** Where another sign-in returns to: to this page while it links, else to where the user came from. */
export const returnAfter = isLinking
  ? `/login?${new URLSearchParams({ link: '1', ...(returnTo && { return_to: returnTo }) })}`
  : returnTo;

/** Where the buttons return to: '' = this page decides, and knows the tenant that it is about. */
const returnFromProvider =
  returnAfter === '' && tenantInAddress !== ''
    ? `/login?${new URLSearchParams({ signed_in: '1', tenant: tenantInAddress })}`
    : returnAfter;

/** Shows a button for each provider. Without them the page works as before. */
export async function showProviders() {
  find('linking').hidden = !isLinking;
  const { Providers } = await call('Sso_ListSocialProviders', {}).catch(() => ({ Providers: [] }));
  find('providers').hidden = Providers.length === 0;
  findIn(find('providers'), 'ul').replaceChildren(...Providers.map(buttonOf));
}

/** @param {SocialProvider} provider */
function buttonOf({ Name, LoginURL }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  const target = new URL(LoginURL);
  if (returnFromProvider !== '') target.searchParams.set('return_to', returnFromProvider);
  link.href = target.href;
  link.className = 'button plain';
  write(link, 'social.with', { name: Name });
  item.append(link);
  return item;
}

let isTried = false;

/**
 * Links the identity of the social sign-in to the signed-in account, once a page. Throws Refused with
 * the reason; the user is signed in all the same.
 */
export async function linkIdentity() {
  if (!isLinking || isTried) return;
  isTried = true;
  try {
    await call('Account_LinkIdentity', {});
  } catch (error) {
    throw hasCode(error, 'failed_precondition') ? explain(error) : error;
  }
}

/**
 * Whether the user has to sign in once more, because the session is older than the social sign-in.
 * @param {unknown} error
 * @returns {boolean}
 */
export const isStale = (error) => hasReason(error, 'LINK_STALE');

/** @param {Refused} error */
function explain(error) {
  if (isStale(error)) return error;
  return new Refused(
    error.code,
    text(hasReason(error, 'DEAD_TOKEN') ? 'social.expired' : 'social.foreign'),
    error.reason,
  );
}
