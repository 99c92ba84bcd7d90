// An invitation waits in its tab while its person confirms the address, or signs in elsewhere. The link in the verification
// mail opens a tab of its own, which asks the others for the way back. A browser that is told to keep nothing for this site
// fails whoever as much as asks for its storage: then nothing waits, and the page has what it came with.
const name = 'bailiwick.invitation';

function ifAllowed(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The token of the invitation that waits in this tab, or "". */
export const readWaiting = () => ifAllowed(() => sessionStorage.getItem(name)) ?? '';
export const keepWaiting = (token) => ifAllowed(() => sessionStorage.setItem(name, token));
export const forgetWaiting = () => ifAllowed(() => sessionStorage.removeItem(name));

const channel = ifAllowed(() => new BroadcastChannel(name));

/** Tells all other tabs of these pages, or hears what they tell. */
export const tell = (message) => channel?.postMessage(message);
export const hear = (listener) =>
  channel?.addEventListener('message', ({ data }) => listener(data));
