import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { base } from '@bailiwick/gateway/documents/guides.ts';
import type { MarkdownRenderer } from 'vitepress';
import { pageOf } from './pages.ts';
import type { Page } from './sidebar.ts';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** The target of a document's link: the address of a page, or a file of the repository. */
export type Target = { page: string } | { file: string };

/** @returns undefined for a link to another host, to the same page, or to a page already. */
export function targetOf(href: string, from: Page, pages: readonly Page[]): Target | undefined {
  if (/^([a-z]+:|\/)/i.test(href)) return undefined;
  const [path = '', anchor = ''] = decodeURIComponent(href).split('#', 2);
  // The home page links to its own sections. A document can have sections on several pages.
  if (path === '' && from.source === '') return undefined;
  const file =
    path === '' ? from.source : posix.join(posix.dirname(from.source), path).replace(/\/$/, '');
  const page = pageOf(pages, file, anchor);
  if (page === from && path === '') return undefined;
  return page ? { page: `/${page.path}${anchor && `#${anchor}`}` } : { file };
}

/**
 * Rewrites the links of all pages: documents to pages, other files of the repository to plain
 * text, or below `repository` if it is given. The name of an operation leads to its place in the API
 * reference, which the gateway serves above the site.
 */
export function useLinks(
  md: MarkdownRenderer,
  pages: readonly Page[],
  repository: string | undefined,
): void {
  const operations = operationNames();
  const byPath = new Map(pages.map((page) => [page.path, page]));
  md.core.ruler.push('bailiwick-links', ({ tokens, env }) => {
    const { relativePath } = env as { relativePath: string };
    const page = byPath.get(relativePath);
    if (!page) return;
    for (const [index, { type, children }] of tokens.entries()) {
      if (type !== 'inline' || !children) continue;
      rewriteLinks(children, (href) => targetOf(href, page, pages), repository);
      if (tokens[index - 1]?.type !== 'heading_open') linkOperations(children, operations);
    }
  });
}

function rewriteLinks(
  tokens: Token[],
  target: (href: string) => Target | undefined,
  repository: string | undefined,
): void {
  let isPlain = false;
  for (const token of tokens) {
    if (token.type === 'image') token.attrSet('src', imageOf(String(token.attrGet('src'))));
    if (token.type === 'link_open') {
      const destination = target(String(token.attrGet('href')));
      isPlain = destination !== undefined && 'file' in destination && repository === undefined;
      if (isPlain && destination && 'file' in destination)
        asPlain(token, `<span title="${destination.file}">`);
      else if (destination)
        token.attrSet(
          'href',
          'page' in destination ? destination.page : `${repository}/${destination.file}`,
        );
    } else if (token.type === 'link_close' && isPlain) asPlain(token, '</span>');
  }
}

/** Images of docs/ are copied beside the pages. */
export const imageOf = (src: string): string =>
  /^[a-z]+:/i.test(src) ? src : `/images/${posix.basename(src)}`;

function asPlain(token: Token, html: string): void {
  token.type = 'html_inline';
  token.tag = '';
  token.content = html;
}

/** The names of the operations that the API reference describes. */
function operationNames(): Set<string> {
  const file = fileURLToPath(import.meta.resolve('@bailiwick/gateway/openapi.json'));
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return new Set(operations.flatMap(({ operationId }) => operationId ?? []));
}

function linkOperations(tokens: Token[], operations: ReadonlySet<string>): void {
  let depth = 0;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token?.type === 'link_open') depth += 1;
    if (token?.type === 'link_close') depth -= 1;
    if (token?.type !== 'code_inline' || depth > 0 || !operations.has(token.content)) continue;
    const open = newToken(token, 'link_open', 1);
    open.attrSet('href', `${base}..#${token.content}`);
    // VitePress leaves links with a target alone: this one leads out of the site.
    open.attrSet('target', '_self');
    tokens.splice(index, 1, open, token, newToken(token, 'link_close', -1));
    index += 2;
  }
}

const newToken = (like: Token, type: string, nesting: -1 | 1): Token => {
  const TokenClass = like.constructor as new (type: string, tag: string, nesting: number) => Token;
  return new TokenClass(type, 'a', nesting);
};
