import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { escapeHtml, fill } from '@bailiwick/texts';
import { isCurrent } from '../http/etag.ts';
import { accepts, cachingOf, readBody, readManifest, typeOf } from '../http/static-files.ts';
import { fontMarkup } from '../pages/face.ts';
import { consoleBrandMarkup, noBrand, type PageBrand } from '../pages/page-brands.ts';
import { languageHeaders, languageOf } from '../pages/page-language.ts';
import { textOf } from '../pages/page-texts.ts';

// The console: a page whose scripts call the operations, at /console, and at /account for a user's
// own account. `npm run console` builds it. The gateway serves its files, and knows none of its
// views: every address below the two leads to the same page.

/** `files.json` of a built console. */
export type ConsoleManifest = {
  /** Hashes everything that the build was made of. */
  source: string;
  /** Every file's path below the folder, and a hash of it. */
  files: Record<string, string>;
  /** The file with the texts of each language. */
  texts: Record<string, string>;
};

const page = 'index.html';

/** The page of the receivers' portal, which shares the console's files but not its views. */
const portal = 'portal.html';
const portalPath = '/portal';
const assets = '/console/assets/';
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

const headers = { 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' };

/** Mantine writes the theme's variables into style elements, which need the nonce. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

type Build = { folder: URL; manifest: ConsoleManifest; html: string; portalHtml: string };

function readBuild(folder: URL): Build | undefined {
  const manifest = readManifest(folder) as ConsoleManifest | undefined;
  if (!manifest) return undefined;
  const [html = '', portalHtml = ''] = [page, portal].map((name) =>
    readFileSync(new URL(name, folder), 'utf8'),
  );
  return { folder, manifest, html, portalHtml };
}

/** The file at an address, or undefined. */
function assetAt({ manifest: { files } }: Build, pathname: string): string | undefined {
  const file = pathname.slice('/console/'.length);
  const isAsset = pathname.startsWith(assets) && /\.(css|js|svg)$/.test(file);
  return isAsset && Object.hasOwn(files, file) ? file : undefined;
}

/**
 * The path of the public URL, and whether the browser has no session: the console then leads to the
 * sign-in without a call, which browsers would note as an error.
 */
type Visit = { prefix: string; isAnonymous: boolean };

export type Console = ReturnType<typeof openConsole>;

/**
 * Reads the list of the files of a built console. Without one, or if `isOn` is false, no path is
 * served. Its pages show the brand of the installation. The list is read once: another build needs a
 * new start of the gateway.
 */
export function openConsole(
  isOn: boolean,
  brand = noBrand,
  folder = new URL('../../console/dist/', import.meta.url),
) {
  const build = isOn ? readBuild(folder) : undefined;
  return {
    isServed: build !== undefined,

    /** Whether a file or a view is at this address. The console itself says if it has no such view. */
    has: (pathname: string): boolean =>
      build !== undefined &&
      (pathname.startsWith(assets)
        ? assetAt(build, pathname) !== undefined
        : /^\/(console|account)(\/|$)/.test(pathname) || pathname === portalPath),

    /**
     * Sends the browser to the view with the contents of a page: the user's own factors and passkeys.
     * Not on the way to an application: the page that adds one leads on to it. Returns whether it did.
     */
    redirects(
      response: ServerResponse,
      pathname: string,
      { search, searchParams }: URL,
      prefix: string,
    ): boolean {
      if (!build || !/^\/(factors|passkeys)$/.test(pathname) || searchParams.has('enrol'))
        return false;
      response.writeHead(303, { location: `${prefix}/account/security${search}` }).end();
      return true;
    },

    /** Sends the page or file at a path that `has` accepts. */
    async send(
      request: IncomingMessage,
      response: ServerResponse,
      pathname: string,
      visit: Visit,
    ): Promise<void> {
      if (!build) return;
      const file = assetAt(build, pathname);
      const html = pathname === portalPath ? build.portalHtml : build.html;
      if (file === undefined) return sendHtml(request, response, { ...build, html, brand }, visit);
      return sendAsset(request, response, build, file);
    },
  };
}

function sendHtml(
  request: IncomingMessage,
  response: ServerResponse,
  { html, manifest, brand }: Build & { brand: PageBrand },
  { prefix, isAnonymous }: Visit,
): void {
  const lang = languageOf(request);
  const nonce = randomBytes(16).toString('base64');
  const root = escapeHtml(`${prefix}/`);
  const visitor = isAnonymous ? 'anonymous' : 'known';
  const file = manifest.texts[lang];
  // The scripts load them only after they have read the language.
  const texts = file && `<link rel="modulepreload" crossorigin href="${root}console/${file}" />`;
  const face = `${fontMarkup(root)}<link rel="stylesheet" href="${root}pages/face.css" />${consoleBrandMarkup(brand, root)}`;
  const noScript = escapeHtml(textOf(lang, 'common.noScript'));
  response
    .writeHead(200, {
      ...headers,
      ...languageHeaders(lang),
      'content-security-policy': policyOf(nonce),
      'cache-control': 'no-store',
      'content-type': typeOf(page),
    })
    .end(fill(html, { lang, root, nonce, face, noScript, visitor, texts: texts ?? '' }));
}

async function sendAsset(
  request: IncomingMessage,
  response: ServerResponse,
  { folder, manifest: { files } }: Build,
  file: string,
): Promise<void> {
  const [encoding, ending = ''] =
    encodings.find(([name, end]) => accepts(request, name) && Object.hasOwn(files, file + end)) ??
    [];
  const own = {
    ...headers,
    vary: 'accept-encoding',
    etag: `"${files[file + ending]}"`,
    'cache-control': cachingOf(file),
  };
  if (isCurrent(request, own.etag)) return void response.writeHead(304, own).end();
  const body = await readBody(new URL(file + ending, folder));
  // The console was built again since the start, and this file went away.
  if (!body) return void response.writeHead(404, headers).end();
  const type = { 'content-type': typeOf(file), 'content-length': body.length };
  response
    .writeHead(200, { ...own, ...type, ...(encoding && { 'content-encoding': encoding }) })
    .end(body);
}
