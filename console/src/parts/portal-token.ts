// The receivers' portal is a page of its own. Its calls carry the token of its session, and never
// the cookies of a user who is signed in in the same browser.

let token: string | undefined;

/** Makes this page the portal. '' = without a session. */
export function setPortalToken(next: string): void {
  token = next;
}

/** The options of this page's calls, beside the request. */
export const portalInit = (): { headers: Record<string, string>; credentials?: 'omit' } => {
  if (token === undefined) return { headers: {} };
  return { headers: token === '' ? {} : { authorization: `Bearer ${token}` }, credentials: 'omit' };
};
