import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { loopback } from '@bailiwick/deploy/local/ports.ts';

// Stands in for the APIs of GitHub and GitLab: keeps the comments of one request and all calls, and answers as their
// documentation says.

export type CommentRecord = { id: number; body: string; author: string };
export type RequestRecord = { method: string; path: string; token: string; body: string };
type Routes = { comments: RegExp; comment: RegExp; update: string };

/** The token that may write comments. Another one may only read. */
export const writer = 'forge-token-that-writes';
/** Whose token it is. */
export const authors = { github: 'github-actions[bot]', gitlab: '7' };

const routes: Record<'github' | 'gitlab', Routes> = {
  github: {
    comments: /^\/repos\/acme\/access\/issues\/5\/comments$/,
    comment: /^\/repos\/acme\/access\/issues\/comments\/(\d+)$/,
    update: 'PATCH',
  },
  gitlab: {
    comments: /^\/projects\/20\/merge_requests\/5\/notes$/,
    comment: /^\/projects\/20\/merge_requests\/5\/notes\/(\d+)$/,
    update: 'PUT',
  },
};

export type ForgeServer = Awaited<ReturnType<typeof startForge>>;

/** `idToken` makes the token of a GitHub job for an audience. */
export async function startForge(
  kind: 'github' | 'gitlab',
  idToken: (audience: string) => string = () => '',
) {
  const comments: CommentRecord[] = [];
  const recorded: RequestRecord[] = [];
  /** The statuses of the next answers, before the server answers as it should. */
  const failures: Array<{ status: number; after?: string }> = [];
  /** Whether the answer to the next change is lost, although the change is made. */
  const state = { losesNext: false };
  const route = routes[kind];

  const recordOf = ({ id, body, author }: CommentRecord) =>
    kind === 'github'
      ? { id, body, user: { login: author } }
      : { id, body, author: { id: Number(author) }, system: false };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    const send = (status: number, json: unknown, headers: Record<string, string> = {}) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(json));
    if (url.pathname === '/job-token') {
      if (request.headers.authorization !== 'Bearer runner') return send(401, {});
      return send(200, { value: idToken(url.searchParams.get('audience') ?? '') });
    }
    const body = await text(request);
    const token = String(
      request.headers['private-token'] ??
        request.headers.authorization?.replace(/^Bearer /, '') ??
        '',
    );
    const method = request.method ?? '';
    recorded.push({ method, path: `${url.pathname}${url.search}`, token, body });
    const failure = failures.shift();
    if (failure)
      return send(
        failure.status,
        { message: 'try later' },
        failure.after === undefined ? {} : { 'retry-after': failure.after },
      );
    if (url.pathname === '/user' && kind === 'gitlab')
      return send(200, { id: Number(authors.gitlab) });
    if (method === 'GET' && route.comments.test(url.pathname)) return sendPage(url, send);
    if (token !== writer) return send(403, { message: 'Resource not accessible by integration' });
    const changed = change(method, url.pathname, body);
    if (state.losesNext) {
      state.losesNext = false;
      return void response.destroy();
    }
    return changed
      ? send(method === 'POST' ? 201 : 200, recordOf(changed))
      : send(404, { message: 'Not Found' });
  }

  function change(method: string, path: string, body: string): CommentRecord | undefined {
    const { body: written } = JSON.parse(body) as { body: string };
    if (method === 'POST' && route.comments.test(path)) {
      const created = { id: comments.length + 1, body: written, author: authors[kind] };
      comments.push(created);
      return created;
    }
    const id = Number(route.comment.exec(path)?.[1]);
    const comment = comments.find((one) => one.id === id);
    if (method !== route.update || !comment) return undefined;
    comment.body = written;
    return comment;
  }

  /** Both forges answer with at most 100 items and a Link to the next page. */
  function sendPage(
    url: URL,
    send: (status: number, json: unknown, headers?: Record<string, string>) => void,
  ): void {
    const size = Math.min(Number(url.searchParams.get('per_page') ?? 30), 100);
    const page = Number(url.searchParams.get('page') ?? 1);
    const items = comments.slice((page - 1) * size, page * size).map(recordOf);
    const next = new URL(url);
    next.searchParams.set('page', String(page + 1));
    const link = `<${String(next)}>; rel="next"`;
    send(200, items, comments.length > page * size ? { link } : {});
  }

  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  const url = `http://${loopback}:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, { url, comments, recorded, failures, stop: () => server.close() });
}
