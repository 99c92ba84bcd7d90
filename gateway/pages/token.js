// The token of a mail's link comes in the fragment, which is in no address that is sent to a server.
const inAddress = () => new URLSearchParams(location.hash.slice(1)).get('token') ?? '';

/** Takes the token out of the address bar, where a look over the shoulder would find it. */
export function takeToken() {
  const token = inAddress();
  history.replaceState(null, '', location.pathname);
  return token;
}

// Another link that is opened in this tab changes nothing but the fragment.
addEventListener('hashchange', () => {
  if (inAddress() !== '') location.reload();
});
