// Where the console is.

/** The path of the public URL with a slash at its end, such as / or /iam/. */
export const root: string =
  document.querySelector<HTMLMetaElement>('meta[name="bailiwick-root"]')?.content ?? '/';

/** Whether the gateway has seen a session in this browser, which may have ended. */
export const mayHaveSession: boolean =
  document.querySelector<HTMLMetaElement>('meta[name="bailiwick-visitor"]')?.content !==
  'anonymous';

/** The public URL, without a slash at its end. */
export const publicUrl: string = new URL(root, location.origin).href.replace(/\/$/, '');

/** The nonce that the page's policy allows for style elements. */
export const styleNonce: string =
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** The address of a page of the gateway, such as the API reference. */
export const pageAt = (path: string): string => `${root}${path}`;

/** Leaves for the sign-in page, which leads back to this view. */
export function leaveForSignIn(): void {
  location.assign(signInAddress());
}

export function signInAddress(): string {
  const view = `/${location.pathname.slice(root.length)}${location.search}`;
  return pageAt(`login?return_to=${encodeURIComponent(view)}`);
}

/** The sign-in page for users who are signed in already. */
export const signInAgainAddress = (): string => `${signInAddress()}&again=1`;
