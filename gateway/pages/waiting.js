// Keeps an invitation in its tab while the user confirms the address or signs in elsewhere. The
// link in the verification mail opens another tab, which asks this one for the token. Browsers that
// block storage throw on any access: then nothing is kept, and each page uses only its own token.
/** @typedef {{ ask?: boolean, verified?: boolean, token?: string }} Message */

const name = 'bailiwick.invitation';

/**
 * @template Result
 * @param {() => Result} access
 */
function ifAllowed(access) {
  try {
    return access();
  } catch {
    return undefined;
  }
}

/** The token of the invitation kept in this tab, or "". */
export const readWaiting = () => ifAllowed(() => sessionStorage.getItem(name)) ?? '';
/** @param {string} token */
export const storeWaiting = (token) => ifAllowed(() => sessionStorage.setItem(name, token));
export const clearWaiting = () => ifAllowed(() => sessionStorage.removeItem(name));

const channel = ifAllowed(() => new BroadcastChannel(name));

/**
 * Sends a message to all other tabs of these pages.
 * @param {Message} message
 */
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
export const broadcast = (message) => channel?.postMessage(message);
/** @param {(message: Message) => void} listener */
export const onBroadcast = (listener) =>
  channel?.addEventListener('message', ({ data }) => listener(data));
