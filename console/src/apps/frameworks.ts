import type { Connection, Snippet } from './products.ts';

// Frameworks with a whole program in docs/add-sign-in.md: its packages, and the values of an app as
// it reads them.

type Framework = {
  name: string;
  kind: 'web' | 'spa';
  /** The heading of the program, as the page's address has it. */
  anchor: string;
  /** Follows the address of the application in its redirect address. */
  path: string;
  install: string;
  file: string;
  values: (connection: Connection & { home: string }) => string[];
  /** The name of the program that runs it, and the command. */
  runner: string;
  start: string;
};

export const frameworkNames = ['express', 'routes', 'react'] as const;
export type FrameworkName = (typeof frameworkNames)[number];

const ofServer = ({ issuer, client, secret, home }: Connection & { home: string }) => [
  `ISSUER=${issuer}`,
  `CLIENT_ID=${client}`,
  `CLIENT_SECRET=${secret}`,
  `APP_URL=${home}`,
];

export const frameworks: Readonly<Record<FrameworkName, Framework>> = {
  express: {
    name: 'Express',
    kind: 'web',
    anchor: 'express',
    path: '/callback',
    install: 'npm install express@5.3.0 express-session@1.19.0 openid-client@6.9.0',
    file: '.env',
    values: ofServer,
    runner: 'node',
    start: 'SESSION_SECRET=$(openssl rand -hex 32) node --env-file=.env server.js',
  },
  routes: {
    name: 'Next.js',
    kind: 'web',
    anchor: 'route-handlers-next-js-and-others',
    path: '/callback',
    install: 'npm install jose@6.2.18 openid-client@6.9.0',
    file: '.env.local',
    values: ofServer,
    runner: 'next',
    start: 'SESSION_KEY=$(openssl rand -base64 32) npx next dev',
  },
  react: {
    name: 'React (Vite)',
    kind: 'spa',
    anchor: 'react-with-vite',
    path: '/',
    install: 'npm install react@19.3.1 react-dom@19.3.1 openid-client@6.9.0',
    file: '.env',
    values: ({ issuer, client }) => [`VITE_ISSUER=${issuer}`, `VITE_CLIENT_ID=${client}`],
    runner: 'vite',
    start: 'npx vite',
  },
};

export type Setup = {
  snippets: Snippet[];
  /** The address that the program returns to; it is one of the app's, unless `isMissing`. */
  redirect: string;
  isMissing: boolean;
};

/** The values and commands for a framework. The address of the application is that of its redirect addresses. */
export function setupOf(
  name: FrameworkName,
  redirects: readonly string[],
  connection: Omit<Connection, 'redirect'>,
): Setup {
  const { path, install, file, values, runner, start } = frameworks[name];
  const match = redirects.find((uri) => uri.endsWith(path));
  const origin = URL.parse(redirects[0] ?? '')?.origin ?? 'http://localhost:3000';
  const redirect = match ?? `${origin}${path}`;
  const home = redirect.slice(0, -path.length);
  return {
    snippets: [
      { name: 'npm', code: install },
      { name: file, code: values({ ...connection, redirect, home }).join('\n') },
      { name: runner, code: start },
    ],
    redirect,
    isMissing: match === undefined,
  };
}
