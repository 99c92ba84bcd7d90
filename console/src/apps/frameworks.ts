import type { Connection, Snippet } from './products.ts';

// Frameworks with a whole program in docs/add-sign-in.md: its packages, and the values of an app as
// it reads them.

type Framework = {
  name: string;
  kind: 'web' | 'spa';
  /** The heading of the program, as the page's address has it. */
  anchor: string;
  /** The path of the redirect address. */
  path: string;
  /** Where the program listens on a developer's own machine. */
  port: number;
  install: string[];
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
    port: 3000,
    install: ['npm install express@5.3.0 express-session@1.19.0 openid-client@6.9.0'],
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
    port: 3000,
    install: ['npm install jose@6.2.18 openid-client@6.9.0'],
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
    port: 5173,
    install: [
      'npm install react@19.3.1 react-dom@19.3.1 openid-client@6.9.0',
      'npm install --save-dev vite@8.3.8 @vitejs/plugin-react@6.3.0',
    ],
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
  const { path, port, install, file, values, runner, start } = frameworks[name];
  const originOf = (uri: string): string | undefined => URL.parse(uri)?.origin;
  // The program sends the origin and the path, and an app's addresses are compared as texts.
  const match = redirects.find((uri) => uri === `${originOf(uri)}${path}`);
  const home = originOf(match ?? redirects[0] ?? '') ?? `http://localhost:${port}`;
  const redirect = match ?? `${home}${path}`;
  return {
    snippets: [
      { name: 'npm', code: install.join('\n') },
      { name: file, code: values({ ...connection, redirect, home }).join('\n') },
      { name: runner, code: start },
    ],
    redirect,
    isMissing: match === undefined,
  };
}
