import { root } from '../parts/place.ts';
import { setPortalToken } from '../parts/portal-token.ts';
import { setSessionEnded } from '../parts/session-state.ts';

// The session of this tab. Another tab and another link have sessions of their own.

const key = 'bailiwick-portal';

/** The token of the link in the address; '' = the address has none. It is sent only when opened. */
export const linkToken = (): string => /^#(bwko_\w+)$/.exec(location.hash)?.[1] ?? '';

/** Continues the session of this tab. Returns false if there is none, or the address has a link. */
export function continueSession(): boolean {
  const token = linkToken() === '' ? (sessionStorage.getItem(key) ?? '') : '';
  setPortalToken(token);
  return token !== '';
}

/** Begins a session, and takes the link out of the address and the history of the tab. */
export function beginSession(token: string): void {
  sessionStorage.setItem(key, token);
  setPortalToken(token);
  setSessionEnded(false);
  history.replaceState(null, '', `${root}portal`);
}

export function forgetSession(): void {
  sessionStorage.removeItem(key);
  setPortalToken('');
}
