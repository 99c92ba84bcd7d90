import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

// The description of the interface, and Swagger UI from its npm package to browse it. All of it comes from this
// host, so that it works where no other can be reached. Few ever ask for it: files are streamed, none is kept.

type Asset = { file: URL; type: string; versioned?: true };

const library = (name: string) => new URL(import.meta.resolve(`swagger-ui-dist/${name}`));
const page = (name: string) => new URL(`pages/${name}`, import.meta.url);
const { version } = JSON.parse(readFileSync(library('package.json'), 'utf8')) as {
  version: string;
};

const css = 'text/css; charset=utf-8';
const javascript = 'text/javascript; charset=utf-8';

const assets = new Map<string, Asset>([
  ['/docs/docs.js', { file: page('docs.js'), type: javascript }],
  ['/docs/docs.css', { file: page('docs.css'), type: css }],
  [
    `/docs/${version}/swagger-ui-bundle.js`,
    { file: library('swagger-ui-bundle.js'), type: javascript, versioned: true },
  ],
  [
    `/docs/${version}/swagger-ui.css`,
    { file: library('swagger-ui.css'), type: css, versioned: true },
  ],
  [
    '/openapi.json',
    { file: new URL('openapi.json', import.meta.url), type: 'application/json; charset=utf-8' },
  ],
]);

const headers = {
  // One directive more than the other pages have: the icons of Swagger UI's stylesheet are data: URLs.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const html = readFileSync(page('docs.html'), 'utf8').replaceAll('{{version}}', version);

export const isDocs = (pathname: string) =>
  pathname === '/docs' || pathname === '/docs/' || assets.has(pathname);

export async function sendDocs(
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
): Promise<void> {
  const asset = assets.get(pathname);
  if (asset) return sendAsset(request, response, asset);
  // The page's own addresses are relative, and hold below any path prefix: only one spelling of its own is right.
  if (pathname === '/docs/')
    return void response.writeHead(308, { ...headers, location: '../docs' }).end();
  const type = 'text/html; charset=utf-8';
  response
    .writeHead(200, {
      ...headers,
      'content-type': type,
      'cache-control': 'no-cache',
      'content-length': Buffer.byteLength(html),
    })
    .end(html);
}

async function sendAsset(
  request: IncomingMessage,
  response: ServerResponse,
  { file, type, versioned }: Asset,
): Promise<void> {
  const handle = await open(file);
  try {
    const etag = await etagOf(handle, file);
    const { size } = await handle.stat();
    // A versioned address always has the same content; of the others a browser asks whether they still hold.
    const caching = {
      etag,
      'cache-control': versioned ? 'public, max-age=31536000, immutable' : 'no-cache',
    };
    if (isCurrent(request, etag))
      return void response.writeHead(304, { ...headers, ...caching }).end();
    response.writeHead(200, {
      ...headers,
      ...caching,
      'content-type': type,
      'content-length': size,
    });
    if (request.method === 'HEAD') return void response.end();
    await pipeline(
      handle.createReadStream({ start: 0, end: size - 1, autoClose: false }),
      response,
    );
  } catch (error) {
    // A browser that went away meanwhile is no failure.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    await handle.close();
  }
}

const etags = new Map<string, string>();

/** Of the content, so that all replicas say the same; computed once as long as the file stays as it is. */
async function etagOf(handle: FileHandle, file: URL): Promise<string> {
  const { mtimeMs, size } = await handle.stat();
  const key = `${file.href} ${mtimeMs} ${size}`;
  let etag = etags.get(key);
  if (etag === undefined) {
    const hash = createHash('sha256');
    for await (const chunk of handle.createReadStream({ start: 0, autoClose: false }))
      hash.update(chunk as Uint8Array);
    etag = `"${hash.digest('base64url')}"`;
    etags.set(key, etag);
  }
  return etag;
}

function isCurrent(request: IncomingMessage, etag: string): boolean {
  const known = (request.headers['if-none-match'] ?? '')
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
