import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { base, type GuidesManifest } from '@bailiwick/gateway/documents/guides.ts';
import { manifestFile } from '@bailiwick/gateway/http/static-files.ts';

/** The files of a built site, as paths below it. */
const filesIn = (out: string): string[] =>
  globSync('**/*', { cwd: out })
    .filter((file) => statSync(join(out, file)).isFile() && file !== manifestFile)
    .sort();

const pagesIn = (out: string) =>
  filesIn(out)
    .filter((file) => file.endsWith('.html'))
    .map((file) => [file, readFileSync(join(out, file), 'utf8')] as const);

/** Links to a page, an anchor or a file that is not there. VitePress checks no anchors. */
export function brokenLinks(out: string): string[] {
  const files = new Set(filesIn(out));
  const pages = new Map(pagesIn(out));
  const anchors = new Map(
    [...pages].map(([file, html]) => [file, new Set(attributes(html, 'id'))] as const),
  );
  const isBroken = (href: string, file: string): boolean => {
    const url = new URL(href, `http://site${base}${file}`);
    // The API reference of the gateway, above the site.
    if (url.host !== 'site' || url.pathname === '/docs/') return false;
    if (!url.pathname.startsWith(base)) return true;
    const target = fileOf(decodeURIComponent(url.pathname.slice(base.length)));
    if (!files.has(target)) return true;
    return url.hash !== '' && !anchors.get(target)?.has(decodeURIComponent(url.hash.slice(1)));
  };
  return [...pages].flatMap(([file, html]) =>
    [...attributes(html, 'href'), ...attributes(html, 'src')]
      .filter((href) => isBroken(href, file))
      .map((href) => `${file}: ${href}`),
  );
}

const fileOf = (path: string) => (path === '' || path.endsWith('/') ? `${path}index.html` : path);

const attributes = (html: string, name: string): string[] =>
  Array.from(html.matchAll(new RegExp(`<[^>]*?\\s${name}="([^"]*)"`, 'g')), ([, value = '']) =>
    value.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'"),
  );

/** Writes what the gateway reads: the files of the site, and the inline code to allow. */
export function writeManifest(out: string): void {
  const html = pagesIn(out).map(([, text]) => text);
  const scripts = html.flatMap((text) =>
    Array.from(text.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^<]+)</g), ([, code = '']) => code),
  );
  const manifest: GuidesManifest = {
    files: Object.fromEntries(
      filesIn(out).map((file) => [file, hash(readFileSync(join(out, file)), 'base64url')]),
    ),
    scripts: hashes(scripts),
    styles: hashes(html.flatMap((text) => attributes(text, 'style'))),
  };
  writeFileSync(join(out, manifestFile), `${JSON.stringify(manifest, undefined, 1)}\n`);
}

const hashes = (texts: readonly string[]) =>
  [...new Set(texts)].sort().map((text) => `sha256-${hash(text, 'base64')}`);

const hash = (content: string | NodeJS.ArrayBufferView, encoding: 'base64' | 'base64url') =>
  createHash('sha256').update(content).digest(encoding);
