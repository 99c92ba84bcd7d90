import type { IncomingMessage, ServerResponse } from 'node:http';
import { denied } from '@bailiwick/shared/errors.ts';

const maxAgeSeconds = 30 * 24 * 60 * 60;

/**
 * The browser's session (contract.md §2): a cookie that scripts cannot read and that only this host sets. Over plain
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
      const sameSite = request.headers['sec-fetch-site'] === 'same-origin' || (request.headers.origin !== undefined && origins.has(request.headers.origin));
      if (!sameSite) throw denied('this call comes from another site', 'CROSS_SITE');
      return token;
    },
    set(response: ServerResponse, token: string): void {
      response.setHeader('set-cookie', `${name}=${token}; Max-Age=${maxAgeSeconds}; ${attributes}`);
    },
    clear(response: ServerResponse): void {
      response.setHeader('set-cookie', `${name}=; Max-Age=0; ${attributes}`);
    },
  };
}

export type SessionCookie = ReturnType<typeof createSessionCookie>;

function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
