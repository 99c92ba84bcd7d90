import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { openTemplates } from '@bailiwick/notifications/email/templates.ts';
import { paletteStyle } from '@bailiwick/texts/face.ts';
import { type Answer, describeCaught } from './hooks.ts';
import { renderPage, type Stores } from './page.ts';
import { renderPreview, renderSample } from './preview.ts';

type Call = {
  method: string;
  path: string[];
  query: URLSearchParams;
  search: string;
  request: IncomingMessage;
};
type Reply = { status: number; type: string; body: string; headers?: Record<string, string> };

const maxBodyBytes = 2 * 1024 * 1024;
const hookName = /^[A-Za-z0-9._~-]{1,128}$/;
const assets: Record<string, { type: string; body: string }> = {
  'page.css': { type: 'text/css; charset=utf-8', body: paletteStyle() + asset('page.css') },
  'page.js': { type: 'text/javascript; charset=utf-8', body: asset('page.js') },
};
const pagePolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'";
/** For a mail's own HTML: no scripts, nothing from elsewhere. Its links open in a new tab. */
const mailPolicy =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'";

class Refused extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export async function answer(
  stores: Stores,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let reply: Reply;
  try {
    if (stores.localNamesOnly && !isLocalName(request))
      throw new Refused(403, 'use 127.0.0.1 or localhost as the host name');
    reply = await route(stores, read(request));
  } catch (error) {
    const refused =
      error instanceof Refused ? error : new Refused(500, 'internal error of the inbox');
    reply = { ...json({ Message: refused.message }, refused.status), headers: refused.headers };
  }
  const unread = request.complete ? {} : { connection: 'close' };
  response.writeHead(reply.status, {
    'content-type': reply.type,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...unread,
    ...reply.headers,
  });
  response.end(reply.body);
}

function route(stores: Stores, call: Call): Reply | Promise<Reply> {
  const [first = '', second, third, ...more] = call.path;
  if (more.length > 0) throw notFound();
  if (first === 'messages') return routeMessages(stores, call, second, third);
  if (first === 'hooks' && third === undefined) return routeHooks(stores, call, second);
  if (first === 'mails') return routePreview(stores, call, second, third);
  if (second !== undefined) throw notFound();
  const file = Object.hasOwn(assets, first) ? assets[first] : undefined;
  if (first !== '' && !file) throw notFound();
  allow(call, 'GET');
  if (file) return { status: 200, ...file };
  const headers = { 'content-security-policy': pagePolicy, etag: `"${stores.revision()}"` };
  if (call.request.headers['if-none-match'] === headers.etag)
    return { status: 304, type: 'text/html; charset=utf-8', body: '', headers };
  return { status: 200, type: 'text/html; charset=utf-8', body: renderPage(stores), headers };
}

function routeMessages(
  { mails }: Stores,
  call: Call,
  id: string | undefined,
  part: string | undefined,
): Reply {
  if (id === undefined) {
    allow(call, 'GET', 'DELETE');
    if (call.method === 'GET') return json(mails.list(call.query.get('to') ?? undefined));
    mails.clear();
    return json({});
  }
  const mail = mails.find(id);
  if (!mail || (part !== undefined && part !== 'html')) throw notFound();
  allow(call, 'GET');
  if (part === undefined) return json(mail);
  // Without this a click would open the link inside the inbox's small frame.
  const body = `<!doctype html><base target="_blank">${mail.Html}`;
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    body,
    headers: { 'content-security-policy': mailPolicy },
  };
}

/** Reads the templates on each request, so that an author only has to reload the page. */
function routePreview(
  { templatesDir }: Stores,
  call: Call,
  name: string | undefined,
  locale: string | undefined,
): Reply {
  allow(call, 'GET');
  let templates;
  try {
    templates = openTemplates(templatesDir);
  } catch (error) {
    throw new Refused(500, `${templatesDir} ${error instanceof Error ? error.message : ''}`);
  }
  const type = 'text/html; charset=utf-8';
  if (name === undefined)
    return {
      status: 200,
      type,
      body: renderPreview(templates, call.query.get('locale')),
      headers: { 'content-security-policy': pagePolicy },
    };
  const mail = renderSample(templates, name, locale ?? '');
  if (!mail) throw notFound();
  return { status: 200, type, body: mail.html, headers: { 'content-security-policy': mailPolicy } };
}

async function routeHooks({ hooks }: Stores, call: Call, name: string | undefined): Promise<Reply> {
  if (name === undefined) {
    allow(call, 'GET');
    return json({ Names: hooks.names() });
  }
  if (!hookName.test(name))
    throw new Refused(400, 'a hook name is 1 to 128 of A-Z a-z 0-9 . _ ~ -');
  allow(call, 'POST', 'GET', 'DELETE');
  if (call.method === 'GET') {
    const secret = call.query.get('secret') ?? header(call.request, 'x-webhook-secret');
    return json({
      Requests: hooks.list(name).map((caught) => describeCaught(caught, secret || undefined)),
    });
  }
  if (call.method === 'DELETE') {
    hooks.clear(name);
    return json({});
  }
  const answer = readAnswer(call.query);
  const receivedAt = new Date();
  const body = await readBody(call.request);
  return json(
    {},
    hooks.add(
      name,
      { method: call.method, query: call.search, headers: flatten(call.request), body, receivedAt },
      answer,
    ),
  );
}

function readAnswer(query: URLSearchParams): Answer | undefined {
  const [status, times] = ['status', 'times'].map((name) => query.get(name));
  if (status == null) return undefined;
  if (!/^[2-5]\d\d$/.test(status)) throw new Refused(400, 'status must be 200 to 599');
  if (times != null && !/^\d{1,6}$/.test(times)) throw new Refused(400, 'times must be a number');
  return { status: Number(status), ...(times != null && { times: Number(times) }) };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Refused(413, 'the body is larger than 2 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function read(request: IncomingMessage): Call {
  try {
    const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://inbox');
    const path = pathname.slice(1).split('/').map(decodeURIComponent);
    return {
      method: request.method === 'HEAD' ? 'GET' : (request.method ?? ''),
      path,
      query: searchParams,
      search,
      request,
    };
  } catch {
    throw new Refused(400, 'invalid URL');
  }
}

function allow(call: Call, ...methods: string[]): void {
  if (!methods.includes(call.method))
    throw new Refused(405, `use ${methods.join(' or ')}`, { allow: methods.join(', ') });
}

function flatten(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.keys(request.headers).map((name) => [name, header(request, name) ?? '']),
  );
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Protects against DNS rebinding: a page elsewhere could point its own host name at this address
 * and read the mails.
 */
function isLocalName(request: IncomingMessage): boolean {
  const url = URL.parse(`http://${request.headers.host ?? ''}`);
  if (!url) return false;
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(name) !== 0 || !name.includes('.') || name.endsWith('.localhost');
}

function json(value: unknown, status = 200): Reply {
  return { status, type: 'application/json; charset=utf-8', body: `${JSON.stringify(value)}\n` };
}

function notFound(): Refused {
  return new Refused(404, 'not found');
}

function asset(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
