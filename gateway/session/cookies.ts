import type { IncomingMessage, ServerResponse } from 'node:http';
import { denied } from '@bailiwick/errors';
import { ownOrigins } from '../http/local-names.ts';

const sessionSeconds = 30 * 24 * 60 * 60;

/**
 * A cookie with a token, which scripts cannot read and only this host sets. Over plain http, which
 * only the local start uses, browsers accept neither `Secure` nor the `__Host-` prefix.
 */
function createTokenCookie(
  publicUrl: string,
  { kind, seconds, sameSite }: { kind: string; seconds: number; sameSite: 'Lax' | 'Strict' },
) {
  const secure = new URL(publicUrl).protocol === 'https:';
  const name = `${secure ? '__Host-' : ''}bailiwick_${kind}`;
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;
  const append = (response: ServerResponse, token: string, maxAge: number): void =>
    void response.appendHeader('set-cookie', `${name}=${token}; Max-Age=${maxAge}; ${attributes}`);
  return {
    read: (request: IncomingMessage): string | undefined =>
      readCookie(request.headers.cookie ?? '', name),
    set: (response: ServerResponse, token: string): void => append(response, token, seconds),
    clear: (response: ServerResponse): void => append(response, '', 0),
  };
}

/** The cookie with the token of the session. */
export function createSessionCookie(publicUrl: string, allowedOrigins: readonly string[]) {
  const cookie = createTokenCookie(publicUrl, {
    kind: 'session',
    seconds: sessionSeconds,
    sameSite: 'Lax',
  });
  const origins = new Set([...ownOrigins(publicUrl), ...allowedOrigins]);

  return {
    ...cookie,
    /**
     * The token in the request's cookie. @throws permission_denied if a page of another site may
     * have sent the request
     */
    read(request: IncomingMessage): string | undefined {
      const token = cookie.read(request);
      if (token === undefined) return undefined;
      const sameSite =
        request.headers['sec-fetch-site'] === 'same-origin' ||
        (request.headers.origin !== undefined && origins.has(request.headers.origin));
      if (!sameSite)
        throw denied('a cookie is not accepted in requests from another site', 'CROSS_SITE');
      return token;
    },
    /**
     * The token in the cookie of a browser that opens a page, even from another site. For pages that
     * no other site can read or frame, and that change nothing without a secret of their own.
     */
    ofVisitor: cookie.read,
    /**
     * @throws permission_denied for a form that a page of another site sends. Programs without a
     * browser send neither header.
     */
    assertOwnForm({ headers }: IncomingMessage): void {
      const { origin, 'sec-fetch-site': site } = headers;
      // Our pages send no referrer, so browsers send the origin "null" with their forms.
      if (site === 'same-origin' || (site === undefined && origin === undefined)) return;
      if (origin !== undefined && ownOrigins(publicUrl).includes(origin)) return;
      throw denied('the form was submitted from another site', 'CROSS_SITE');
    },
  };
}

export type SessionCookie = ReturnType<typeof createSessionCookie>;

const supportSeconds = 60 * 60;

/** The header of a call that an operator makes as the user of the support session. */
export const supportHeader = 'bailiwick-support';

/**
 * The cookie with the token of a support session. It stands beside the session cookie and is used
 * only by calls with {@link supportHeader}, which pages of other sites cannot send: so every page
 * and tab without the header stays the operator's own.
 */
export function createSupportCookie(publicUrl: string) {
  const cookie = createTokenCookie(publicUrl, {
    kind: 'support',
    seconds: supportSeconds,
    sameSite: 'Strict',
  });
  const origins = ownOrigins(publicUrl);
  return {
    ...cookie,
    isWanted: (request: IncomingMessage): boolean => request.headers[supportHeader] !== undefined,
    /** The token; '' = none. @throws permission_denied if the page is not one of this service */
    read(request: IncomingMessage): string {
      const { headers } = request;
      if (headers['sec-fetch-site'] !== 'same-origin' && !origins.includes(headers.origin ?? ''))
        throw denied('a cookie is not accepted in requests from another site', 'CROSS_SITE');
      return cookie.read(request) ?? '';
    },
  };
}

export type SupportCookie = ReturnType<typeof createSupportCookie>;

const linkSeconds = 10 * 60;

/**
 * The token of a social sign-in that waits to be linked to an account. Only the browser of that
 * sign-in has it, so that a page of an attacker cannot make a user link the attacker's identity.
 */
export const createLinkCookie = (publicUrl: string) =>
  createTokenCookie(publicUrl, { kind: 'link', seconds: linkSeconds, sameSite: 'Strict' });

export type LinkCookie = ReturnType<typeof createLinkCookie>;

/** As long as a flow is kept, so that its browser can repeat a sign-in that failed. */
const flowSeconds = 60 * 60;
const maxFlows = 8;

/**
 * Binds each sign-in at a provider to the browser that started it. Each flow has its own cookie, so
 * that several tabs do not disturb each other. A provider's answer may be posted from its own site,
 * for which SameSite=Lax would withhold the cookie. Browsers refuse `SameSite=None` over plain
 * http; a cookie without the attribute is sent from other sites for two minutes.
 */
export function createFlowCookies(publicUrl: string) {
  const secure = new URL(publicUrl).protocol === 'https:';
  const prefix = secure ? '__Host-bailiwick_flow_' : 'bailiwick_flow_';
  const attributes = `Path=/; HttpOnly${secure ? '; SameSite=None; Secure' : ''}`;
  return {
    /** The flows that this browser has started: flow id to binding. */
    read(request: IncomingMessage): Record<string, string> {
      const own = cookiesWith(prefix, request);
      return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]));
    },
    /**
     * Stores a flow. The number is limited: any page can make a browser start flows, and every
     * request carries all cookies.
     */
    set(request: IncomingMessage, response: ServerResponse, flow: string, binding: string): void {
      // Browsers send older cookies first (RFC 6265 5.4).
      const flows = Object.keys(this.read(request));
      for (const oldest of flows.slice(0, Math.max(0, flows.length - maxFlows + 1)))
        this.clear(response, oldest);
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

export function readCookie(header: string, name: string): string | undefined {
  return pairsOf(header).find(([key]) => key === name)?.[1];
}

/** The cookies of a request whose names begin with a prefix. */
export const cookiesWith = (prefix: string, { headers: { cookie = '' } }: IncomingMessage) =>
  pairsOf(cookie).filter(([name]) => name.startsWith(prefix));

function pairsOf(header: string): Array<[string, string]> {
  return header.split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return equals > 0 ? [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]] : [];
  });
}
