import type { Caught, Hooks } from './hooks.ts';
import type { Mail, Mailbox } from './mails.ts';

export type Stores = {
  mails: Mailbox;
  hooks: Hooks;
  revision(): string;
  localNamesOnly: boolean;
  templatesDir: string;
};

const maxEntries = 100;

/** Mails on the left, requests to the hooks on the right. page.js keeps the page up to date. */
export function renderPage({ mails, hooks, revision }: Stores): string {
  const messages = mails.list();
  const caught = hooks
    .names()
    .flatMap((name) => hooks.list(name).map((request) => ({ name, request })))
    .sort((a, b) => b.request.receivedAt.getTime() - a.request.receivedAt.getTime());
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>(${messages.length + caught.length}) Inbox · Bailiwick</title>
<link rel="stylesheet" href="/page.css">
<link rel="icon" href="data:,">
<script src="/page.js" defer></script>
<header><h1>Bailiwick <span>inbox</span></h1><p>Everything the local start mails or posts ends here. <a href="/mails">All mails there are</a></p></header>
<main data-revision="${revision()}">
<section aria-labelledby="mails">
<h2 id="mails">Mail <small>${messages.length}</small>${messages.length > 0 ? '<button type="button" data-delete="/messages">Clear</button>' : ''}</h2>
${messages.slice(0, maxEntries).map(renderMail).join('\n') || '<p class="empty">No mail yet. Register an account and its verification lands here.</p>'}
</section>
<section aria-labelledby="hooks">
<h2 id="hooks">Webhooks <small>${caught.length}</small>${renderClearButtons(hooks.names())}</h2>
${caught.slice(0, maxEntries).map(renderCaught).join('\n') || '<p class="empty">Nothing posted yet. Save an endpoint with the URL <code>/hooks/&lt;any name&gt;</code> of this server.</p>'}
</section>
</main>
</html>
`;
}

function renderMail(mail: Mail): string {
  const links = mail.Links.map(
    (link) =>
      `<li><a href="${escape(link)}" target="_blank" rel="noreferrer">${escape(link)}</a></li>`,
  ).join('');
  const html = `<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" src="/messages/${mail.ID}/html" loading="lazy" title="The mail's HTML"></iframe>`;
  return `<details id="mail-${mail.ID}">
<summary><b>${escape(mail.Subject) || '(no subject)'}</b><span>${escape(mail.To)}</span>${renderTime(mail.Date)}</summary>
<p class="from">from ${escape(mail.From)}</p>
${links && `<ul class="links">${links}</ul>`}
${mail.Html && html}
<pre>${escape(mail.Text)}</pre>
</details>`;
}

function renderCaught({ name, request }: { name: string; request: Caught }): string {
  const { headers } = request;
  const id = `hook-${name}-${request.receivedAt.getTime()}-${headers['webhook-id'] ?? ''}-${headers['x-webhook-attempt'] ?? ''}`;
  const attempt = headers['x-webhook-attempt'];
  const rows = Object.entries(headers).map(
    ([key, value]) => `<tr><th>${escape(key)}</th><td>${escape(value)}</td></tr>`,
  );
  const status = `<i class="${request.status < 300 ? 'good' : 'bad'}">${request.status}</i>`;
  return `<details id="${escape(id)}">
<summary><b>${escape(headers['x-webhook-event'] ?? 'POST')}</b><span>${escape(name)}${attempt ? ` · attempt ${escape(attempt)}` : ''}</span>${status}${renderTime(request.receivedAt.toISOString())}</summary>
<pre>${escape(prettyJson(request.body.toString('utf8')))}</pre>
<table>${rows.join('')}</table>
</details>`;
}

function renderClearButtons(names: string[]): string {
  if (names.length === 0) return '';
  return `<button type="button" data-delete="${names.map((name) => `/hooks/${escape(name)}`).join(' ')}">Clear</button>`;
}

function renderTime(time: string): string {
  return `<time datetime="${time}">${time.slice(11, 19)}</time>`;
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
