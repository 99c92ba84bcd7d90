import type { IncomingMessage, ServerResponse } from 'node:http';
import { denied } from '@bailiwick/shared/errors.ts';

const maxAgeSeconds = 30 * 24 * 60 * 60;

/**
 * The browser's session: a cookie that scripts cannot read and that only this host sets. Over plain
 * http, which only the local start uses, browsers take neither `Secure` nor the `__Host-` prefix.
 */
export function createSessionCookie(publicUrl: string, allowedOrigins: readonly string[]) {
  const { protocol, origin } = new URL(publicUrl);
  const secure = protocol === 'https:';
  const name = secure ? '__Host-bailiwick_session' : 'bailiwick_session';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const origins = new Set([origin, ...allowedOrigins]);

  return {
    /** The token in the request's cookie. Throws permission_denied where another site's page may have sent it along. */
    read(request: IncomingMessage): string | undefined {
      const token = readCookie(request.headers.cookie ?? '', name);
      if (token === undefined) return undefined;
      const sameSite =
        request.headers['sec-fetch-site'] === 'same-origin' ||
        (request.headers.origin !== undefined && origins.has(request.headers.origin));
      if (!sameSite) throw denied('this call comes from another site', 'CROSS_SITE');
      return token;
    },
    set(response: ServerResponse, token: string): void {
      response.appendHeader(
        'set-cookie',
        `${name}=${token}; Max-Age=${maxAgeSeconds}; ${attributes}`,
      );
    },
    clear(response: ServerResponse): void {
      response.appendHeader('set-cookie', `${name}=; Max-Age=0; ${attributes}`);
    },
  };
}

export type SessionCookie = ReturnType<typeof createSessionCookie>;

const flowSeconds = 10 * 60;
const mostFlows = 8;

/**
 * What binds sign-ins at a provider to the browser that has begun them: a cookie each, so that several tabs do not disturb
 * each other. A provider's answer may be posted from its own page, which is another site: SameSite=Lax would keep the cookie
 * back. Over plain http browsers take no `SameSite=None`; without the attribute they send the cookie along for two minutes.
 */
export function createFlowCookies(publicUrl: string) {
  const secure = new URL(publicUrl).protocol === 'https:';
  const prefix = secure ? '__Host-bailiwick_flow_' : 'bailiwick_flow_';
  const attributes = `Path=/; HttpOnly${secure ? '; SameSite=None; Secure' : ''}`;
  return {
    /** The flows that this browser has begun, and what it shows for each. */
    read(request: IncomingMessage): Record<string, string> {
      const own = pairsOf(request.headers.cookie ?? '').filter(([name]) => name.startsWith(prefix));
      return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]));
    },
    /** Keeps a flow, and no more than a few: anybody's page can have a browser begin any number, and all cookies go with each request. */
    set(request: IncomingMessage, response: ServerResponse, flow: string, binding: string): void {
      const begun = Object.keys(this.read(request));
      if (begun.length >= mostFlows) for (const other of begun) this.clear(response, other);
      response.appendHeader(
        'set-cookie',
        `${prefix}${flow}=${binding}; Max-Age=${flowSeconds}; ${attributes}`,
      );
    },
    clear(response: ServerResponse, flow: string): void {
      response.appendHeader('set-cookie', `${prefix}${flow}=; Max-Age=0; ${attributes}`);
    },
  };
}

export type FlowCookies = ReturnType<typeof createFlowCookies>;

function readCookie(header: string, name: string): string | undefined {
  return pairsOf(header).find(([key]) => key === name)?.[1];
}

function pairsOf(header: string): Array<[string, string]> {
  return header.split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return equals > 0 ? [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]] : [];
  });
}
