// The links to the other languages, and the language of the signed-in person. The server reads the
// cookie, for pages whose address asks for no language.
const cookie = 'bailiwick_locale';

let fragment = () => location.hash;

/** Replaces the way to get the fragment for the same page in another language. */
export function keepFragmentBy(way) {
  fragment = way;
}

for (const link of document.querySelectorAll('#languages a'))
  link.addEventListener('click', (event) => {
    event.preventDefault();
    const target = new URL(location.href);
    target.searchParams.set('ui_locale', link.lang);
    target.hash = fragment();
    location.assign(target);
  });

/** Shows the next pages in a person's language, unless another one was asked for. */
export function useLocaleOf({ Locale }) {
  if (Locale && !document.cookie.includes(`${cookie}=`))
    document.cookie = `${cookie}=${encodeURIComponent(Locale)}; Path=/; SameSite=Lax`;
}

/** Forgets the language of a person who signs out. */
export function forgetLocale() {
  document.cookie = `${cookie}=; Path=/; SameSite=Lax; Max-Age=0`;
}
