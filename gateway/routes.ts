import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Operation, operations } from '@bailiwick/contract';
import { type Running } from '@bailiwick/process';
import { type createAuthzen, isAuthzen } from './authzen/authzen.ts';
import type { Console } from './documents/console.ts';
import { isDocs, sendDocs } from './documents/docs.ts';
import { type Follow, followMethods, followPath } from './follow/follow.ts';
import { sendReadiness } from './http/readiness.ts';
import { RoutingError } from './http/routing-error.ts';
import { type createIssuerRoutes, isIssuerPath, issuerMethods } from './oauth/issuer.ts';
import type { createOperationHandler } from './operations/operations.ts';
import { type createLogos, isLogo } from './pages/logos.ts';
import type { createPageBrands } from './pages/page-brands.ts';
import { acceptsHtml, isBranded, isPage, sendHomePage, sendPage } from './pages/pages.ts';
import type { createSignInTargets } from './pages/sign-in-target.ts';
import { type createScim, isScim, scimMethods } from './scim/scim.ts';
import type { RequestOrigin } from './session/authenticate.ts';
import type { SessionCookie } from './session/cookies.ts';
import type { createSsoRoutes } from './sso/sso.ts';

// All routes of the gateway, as one table: the first that knows a path answers it.

/** A request, on its way to its route. */
export type RoutedRequest = {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  /** The path below the public URL. */
  pathname: string;
  origin: RequestOrigin;
};

export type Route = {
  methods: readonly string[];
  handle(routedRequest: RoutedRequest): void | Promise<void>;
  /** The name of the route in traces. Without it, the request is one for a file or a page. */
  name?: string;
  /** The operation whose calls and failures are counted. */
  operation?: string;
  /** Whether the pages of the allowed origins may call it. */
  isForOrigins?: boolean;
  /** Whether a language that the address chooses is kept in a cookie. */
  keepsLanguage?: boolean;
};

/** The route of a path below the public URL; undefined if the table line has none for it. */
type FindRoute = (pathname: string, request: IncomingMessage) => Route | undefined;

type Parts = {
  /** The path of the public URL, without a slash at its end. */
  prefix: string;
  runOperation: ReturnType<typeof createOperationHandler>;
  authzen: ReturnType<typeof createAuthzen>;
  answerScim: ReturnType<typeof createScim>;
  answerFollow: Follow['answer'];
  sendLogo: ReturnType<typeof createLogos>;
  sso: ReturnType<typeof createSsoRoutes>;
  answerIssuer: ReturnType<typeof createIssuerRoutes>;
  brands: ReturnType<typeof createPageBrands>;
  findTarget: ReturnType<typeof createSignInTargets>;
  console: Console;
  session: Pick<SessionCookie, 'ofVisitor'>;
  state: Pick<Running, 'ready' | 'concerns'>;
};

const reading = ['GET', 'HEAD'];

/** Finds the route of a path below the public URL; undefined if nothing is served there. */
export function createRoutes(parts: Parts): FindRoute {
  const table: readonly FindRoute[] = [...apiRoutes(parts), ...browserRoutes(parts)];
  return (pathname, request) => {
    for (const find of table) {
      const route = find(pathname, request);
      if (route) return route;
    }
    return undefined;
  };
}

/** The operations, AuthZEN, SCIM and followers. */
const apiRoutes = ({
  prefix,
  runOperation,
  authzen,
  answerScim,
  answerFollow,
}: Parts): FindRoute[] => {
  const ofOperation = (operation: Operation): Route => ({
    name: `/${operation.name}`,
    methods: ['POST'],
    isForOrigins: true,
    operation: operation.name,
    handle: ({ request, response, origin }) => runOperation(operation, request, response, origin),
  });
  const open = [...operations.values()].filter((operation) => operation.public);
  const byPath = new Map(open.map((operation) => [`/${operation.name}`, ofOperation(operation)]));
  return [
    (pathname) => byPath.get(pathname),
    (pathname) =>
      isAuthzen(pathname, prefix)
        ? {
            name: pathname,
            methods: authzen.methods(pathname),
            isForOrigins: true,
            handle: ({ request, response, origin }) =>
              authzen.handle(pathname, request, response, origin),
          }
        : undefined,
    (pathname) =>
      isScim(pathname)
        ? {
            name: '/scim/v2/{tenant}',
            methods: scimMethods,
            handle: ({ request, response, url, origin }) =>
              answerScim({ request, response, pathname, search: url.search, origin }),
          }
        : undefined,
    (pathname) =>
      pathname === followPath
        ? { name: followPath, methods: followMethods, handle: answerFollow }
        : undefined,
  ];
};

/** Logos, sign-in in a browser, the OpenID provider, and what a browser reads. */
const browserRoutes = (parts: Parts): FindRoute[] => [
  ...signInRoutes(parts),
  ...pageRoutes(parts),
  ...fixedRoutes(parts),
];

const signInRoutes = ({ sendLogo, sso, answerIssuer }: Parts): FindRoute[] => [
  // It keeps no language: a logo is cached for all browsers, without cookies.
  (pathname) =>
    isLogo(pathname)
      ? {
          name: '/brand/{id}/logo',
          methods: reading,
          async handle({ request, response, origin }) {
            const isSent = await sendLogo(request, response, { pathname, ip: origin.ip });
            if (!isSent) throw new RoutingError(404, 'there is no such logo');
          },
        }
      : undefined,
  (pathname) => {
    const match = sso.match(pathname);
    return match
      ? {
          name: `/auth/{tenant}/{provider}/${match[3]}`,
          methods: sso.methods(match),
          keepsLanguage: true,
          handle: (routedRequest) => sso.handle({ ...routedRequest, match }),
        }
      : undefined;
  },
  (pathname) =>
    isIssuerPath(pathname)
      ? {
          name: '/oauth',
          methods: issuerMethods,
          keepsLanguage: true,
          handle: ({ url, ...routedRequest }) =>
            answerIssuer({ ...routedRequest, search: url.search }),
        }
      : undefined,
];

/** A route for reading, in a browser. */
const read = (handle: Route['handle']): Route => ({
  methods: reading,
  keepsLanguage: true,
  handle,
});

const pageRoutes = ({ prefix, brands, findTarget, console, session }: Parts): FindRoute[] => {
  const isAnonymous = (request: IncomingMessage) => session.ofVisitor(request) === undefined;
  const branded = read(async ({ request, response, url, pathname, origin }) => {
    if (console.redirects(response, pathname, url, prefix)) return;
    const parameter = (name: string) => url.searchParams.get(name) ?? '';
    const target =
      pathname === '/login' ? await findTarget(parameter('return_to'), origin.ip) : undefined;
    // The app's own tenant counts, and not another one in the address.
    const brand = await brands.of(target?.tenant ?? parameter('tenant'), origin.ip);
    const app = target?.app ?? '';
    sendPage(request, response, pathname, { brand, app, isAnonymous: isAnonymous(request) });
  });
  const plain = read(({ request, response, pathname }) => sendPage(request, response, pathname));
  const view = read(({ request, response, pathname }) =>
    console.send(request, response, pathname, { prefix, isAnonymous: isAnonymous(request) }),
  );
  const reference = read(({ request, response, pathname }) =>
    sendDocs(request, response, pathname, prefix),
  );
  return [
    (pathname) => (isBranded(pathname) ? branded : undefined),
    (pathname) => (isPage(pathname) ? plain : undefined),
    (pathname) => (console.has(pathname) ? view : undefined),
    (pathname) => (isDocs(pathname) ? reference : undefined),
  ];
};

const fixedRoutes = ({ prefix, console, state }: Parts): FindRoute[] => {
  const home = read(({ request, response }) =>
    sendHomePage(request, response, prefix, console.isServed),
  );
  const change = console.isServed ? 'account/security' : 'login';
  // Password managers open it to change a password.
  const changePassword = read(
    ({ response }) => void response.writeHead(303, { location: `${prefix}/${change}` }).end(),
  );
  const readiness = read(({ response }) => sendReadiness(response, state));
  return [
    // Clients that do not ask for HTML get the JSON 404.
    (pathname, request) => (pathname === '/' && acceptsHtml(request) ? home : undefined),
    (pathname) => (pathname === '/.well-known/change-password' ? changePassword : undefined),
    (pathname) => (pathname === '/readyz' ? readiness : undefined),
  ];
};
