// Keeps an invitation in its tab while the user confirms the address or signs in elsewhere. The
// link in the verification mail opens another tab, which asks this one for the token. Browsers that
// block storage throw on any access: then nothing is kept, and each page uses only its own token.
const name = 'bailiwick.invitation';

function ifAllowed(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The token of the invitation kept in this tab, or "". */
export const readWaiting = () => ifAllowed(() => sessionStorage.getItem(name)) ?? '';
export const storeWaiting = (token) => ifAllowed(() => sessionStorage.setItem(name, token));
export const clearWaiting = () => ifAllowed(() => sessionStorage.removeItem(name));

const channel = ifAllowed(() => new BroadcastChannel(name));

/** Sends a message to all other tabs of these pages, and listens to theirs. */
export const broadcast = (message) => channel?.postMessage(message);
export const onBroadcast = (listener) =>
  channel?.addEventListener('message', ({ data }) => listener(data));
