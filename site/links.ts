import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { slugOf } from './markdown.ts';
import { type Page, pageOf } from './pages.ts';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** The target of a document's link: the address of a page, or a file of the repository. */
export type Target = { page: string } | { file: string };

/** @returns undefined for a link to another host, to the same page, or to a page already. */
export function targetOf(href: string, from: Page, pages: readonly Page[]): Target | undefined {
  if (/^([a-z]+:|\/)/i.test(href)) return undefined;
  const [path = '', anchor = ''] = decodeURIComponent(href).split('#', 2);
  // A generated page links to its own sections. A document can have sections on several pages.
  if (path === '' && from.source === '') return undefined;
  const file =
    path === '' ? from.source : posix.join(posix.dirname(from.source), path).replace(/\/$/, '');
  const page = pageOf(pages, file, anchor);
  if (page === from && path === '') return undefined;
  return page ? { page: `/${page.path}${anchor && `#${anchor}`}` } : { file };
}

/**
 * Rewrites the links of all pages: documents to pages, other files of the repository to plain
 * text, or below `repository` if it is given. The name of an operation links to its section.
 */
export function useLinks(
  md: MarkdownRenderer,
  pages: readonly Page[],
  repository: string | undefined,
): void {
  const operations = operationLinks(pages);
  const byPath = new Map(pages.map((page) => [page.path, page]));
  md.core.ruler.push('bailiwick-links', ({ tokens, env }) => {
    const { relativePath } = env as { relativePath: string };
    const page = byPath.get(relativePath);
    if (!page) return;
    for (const [index, { type, children }] of tokens.entries()) {
      if (type !== 'inline' || !children) continue;
      rewriteLinks(children, (href) => targetOf(href, page, pages), repository);
      if (tokens[index - 1]?.type !== 'heading_open')
        linkOperations(children, operations, relativePath);
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
      const found = target(String(token.attrGet('href')));
      isPlain = found !== undefined && 'file' in found && repository === undefined;
      if (isPlain && found && 'file' in found) asPlain(token, `<span title="${found.file}">`);
      else if (found)
        token.attrSet('href', 'page' in found ? found.page : `${repository}/${found.file}`);
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

/** Where each operation is described. */
function operationLinks(pages: readonly Page[]): Map<string, string> {
  return new Map(
    pages
      .filter(({ path, source }) => source === '' && path.startsWith('api/'))
      .flatMap(({ path, text }) =>
        Array.from(
          text.matchAll(/^## ([A-Z][A-Za-z]+_\w+)$/gm),
          ([, name = '']) => [name, `/${path}#${slugOf(name)}`] as const,
        ),
      ),
  );
}

function linkOperations(tokens: Token[], links: ReadonlyMap<string, string>, page: string): void {
  let depth = 0;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token?.type === 'link_open') depth += 1;
    if (token?.type === 'link_close') depth -= 1;
    const href =
      token?.type === 'code_inline' && depth === 0 ? links.get(token.content) : undefined;
    if (!token || href === undefined || href.startsWith(`/${page}#`)) continue;
    const open = newToken(token, 'link_open', 1);
    open.attrSet('href', href);
    tokens.splice(index, 1, open, token, newToken(token, 'link_close', -1));
    index += 2;
  }
}

const newToken = (like: Token, type: string, nesting: -1 | 1): Token => {
  const TokenClass = like.constructor as new (type: string, tag: string, nesting: number) => Token;
  return new TokenClass(type, 'a', nesting);
};
