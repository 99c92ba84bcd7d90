import { root } from './place.ts';

// An operator of the platform acts as a user in this tab. The token is in a cookie of its own, which
// the gateway uses only for calls with this header; all other tabs stay the operator's own.

const key = 'bailiwick-support';

export const isSupportTab = (): boolean => sessionStorage.getItem(key) !== null;

/** The header of the calls of this tab. */
export const supportHeaders = (): Record<string, string> =>
  isSupportTab() ? { 'bailiwick-support': '1' } : {};

/** Opens the console as the user. The page is loaded again: no view of the operator's may stay. */
export function enterSupport(): void {
  sessionStorage.setItem(key, '1');
  location.assign(`${root}console`);
}

/** Makes the tab the operator's own again. */
export function leaveSupport(): void {
  sessionStorage.removeItem(key);
  location.assign(`${root}console/platform/users`);
}
