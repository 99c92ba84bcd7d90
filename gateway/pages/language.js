// The links to the other languages, and the language of the signed-in person. The server reads the
// cookie, for pages whose address asks for no language.
import { findAll } from './elements.js';

const cookie = 'bailiwick_locale';

let fragment = () => location.hash;

/**
 * Replaces the way to get the fragment for the same page in another language.
 * @param {() => string} read
 */
export function keepFragmentBy(read) {
  fragment = read;
}

for (const link of findAll('#languages a'))
  link.addEventListener('click', (event) => {
    event.preventDefault();
    const target = new URL(location.href);
    target.searchParams.set('ui_locale', link.lang);
    target.hash = fragment();
    location.assign(target);
  });

/**
 * Shows the next pages in a person's language, unless the user has chosen another one.
 * @param {{ Locale: string }} user
 */
export function useLocaleOf({ Locale }) {
  if (Locale && !document.cookie.includes(`${cookie}=`))
    document.cookie = `${cookie}=${encodeURIComponent(Locale)}; Path=/; SameSite=Lax`;
}

/** Forgets the language of a person who signs out. */
export function forgetLocale() {
  document.cookie = `${cookie}=; Path=/; SameSite=Lax; Max-Age=0`;
}
