import type { MarkdownRenderer } from 'vitepress';
import { referenceGroup } from './documents.ts';
import type { Page } from './sidebar.ts';

// A row of a reference table (a setting, an event, a permission) is linked and found by its name.

/** Gives each row that begins with a name in code an anchor: the name in lower case. */
export function useEntries(md: MarkdownRenderer, pages: readonly Page[]): void {
  const own = new Set(
    pages.filter(({ group }) => group === referenceGroup).map(({ path }) => path),
  );
  md.core.ruler.push('bailiwick-entries', ({ tokens, env }) => {
    if (!own.has((env as { relativePath: string }).relativePath)) return;
    const ids = new Set<string>();
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'tr_open' || tokens[index + 1]?.type !== 'td_open') continue;
      const [name] = (tokens[index + 2]?.children ?? []).filter(({ content }) => content !== '');
      const id = name?.type === 'code_inline' ? name.content.toLowerCase() : '';
      // Several processes have the same setting: the first one is linked.
      if (!/^[a-z][\w.*]+$/.test(id) || ids.has(id)) continue;
      ids.add(id);
      token.attrSet('id', id);
    }
  });
}

export type Section = { anchor: string; titles: string[]; text: string };

const headings = /<h(\d)[^>]*>(.*?)<a[^>]* href="#([^"]*)"[^>]*>.*?<\/a><\/h\1>/g;
const entries = /<tr id="([^"]+)">\s*<td[^>]*>.*?<code[^>]*>(.*?)<\/code>(.*?)<\/tr>/gs;

/** The results on a page: each part below a heading, and each row with an anchor. */
export function* sectionsOf(html: string): Generator<Section> {
  const matches = [...html.matchAll(headings)];
  const above: string[] = [];
  for (const [
    index,
    { 0: whole, 1: level, 2: title = '', 3: anchor = '', index: start },
  ] of matches.entries()) {
    const part = html.slice(start + whole.length, matches[index + 1]?.index);
    above.length = Math.min(above.length, Number(level) - 1);
    above.push(textOf(title));
    const titles = above.filter(Boolean);
    yield { anchor, titles, text: textOf(part) };
    for (const [, id = '', name = '', description = ''] of part.matchAll(entries))
      yield { anchor: id, titles: [...titles, textOf(name)], text: textOf(description) };
  }
}

/** The text of HTML. A tag between words ends a word, except where a long name may break. */
const textOf = (html: string): string =>
  html
    .replaceAll('<wbr>', '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
