import type { IncomingMessage, ServerResponse } from 'node:http';
import { escapeHtml, fill } from '@bailiwick/texts';
import { languageHeaders, languageOf } from './page-language.ts';
import { textOf } from './page-texts.ts';
import { authRoot, headersOf, html, pageIn } from './pages.ts';

// The pages whose form submits itself.

/** The keys of the page's texts, and the schemes beside the form's own that its answer may lead to. */
type FormPage = { texts: [title: string, about: string]; root: string; schemes: readonly string[] };
type PostedForm = { url: string; fields: Readonly<Record<string, string>> };

/**
 * Sends a form that submits itself, such as SAML's HTTP-POST binding to another site. `root` is the
 * way from the page to the public URL. Its policy names the site's scheme and not its
 * origin: browsers apply form-action to redirects too, and a provider may redirect users to another
 * of its hosts. Everything on the page is escaped.
 */
export const sendFormPage = (
  request: IncomingMessage,
  response: ServerResponse,
  form: PostedForm,
  root = authRoot,
): void =>
  sendForm(request, response, form, { texts: ['post.title', 'post.about'], root, schemes: [] });

/**
 * Sends the form that confirms a sign-out. `scheme` is the one of the app's address, to which the
 * answer redirects: another one than ours for a native app or an app at localhost.
 */
export const sendSignOutPage = (
  request: IncomingMessage,
  response: ServerResponse,
  { scheme, ...form }: PostedForm & { scheme: string },
  root: string,
): void =>
  sendForm(request, response, form, {
    texts: ['signingOut.title', 'signingOut.about'],
    root,
    schemes: scheme ? [scheme] : [],
  });

function sendForm(
  request: IncomingMessage,
  response: ServerResponse,
  { url, fields }: PostedForm,
  { texts: [title, description], root, schemes }: FormPage,
): void {
  const { href, protocol } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('a form is sent to http or https');
  const inputs = Object.entries(fields).map(
    ([name, value]) =>
      `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}" />`,
  );
  const locale = languageOf(request);
  const body = fill(pageIn('post', locale), {
    root,
    title: escapeHtml(textOf(locale, title)),
    about: escapeHtml(textOf(locale, description)),
    url: escapeHtml(href),
    fields: inputs.join('\n        '),
  });
  const policy = headersOf([...new Set([protocol, ...schemes])].join(' '));
  response
    .writeHead(200, { ...policy, ...languageHeaders(locale), 'content-type': html })
    .end(body);
}
