import { root } from './place.ts';

// The token of the link that makes the first operator. The sign-in page leads back to a view without
// what stood behind its #, so the tab keeps the token until it is used.

const key = 'bailiwick-operator';

/** Takes the token out of the address, before the console may leave for the sign-in page. */
export function keepOperatorToken(): void {
  const token = /^#(bwkm_\w+)$/.exec(location.hash)?.[1];
  if (token === undefined || location.pathname !== `${root}console/operator`) return;
  sessionStorage.setItem(key, token);
  history.replaceState(null, '', location.pathname);
}

/** '' = the tab was not opened with the link. */
export const operatorToken = (): string => sessionStorage.getItem(key) ?? '';

export const forgetOperatorToken = (): void => sessionStorage.removeItem(key);
