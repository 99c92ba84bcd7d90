import type { MarkdownRenderer } from 'vitepress';

/** Changes how texts, inline code and tables are written as HTML. */
export function useRendering(md: MarkdownRenderer): void {
  const { code_inline: renderCode } = md.renderer.rules;
  // Vue would read two braces in a text as an expression.
  md.renderer.rules.text = (tokens, index) =>
    md.utils.escapeHtml(tokens[index]?.content ?? '').replaceAll('{{', '&#123;&#123;');
  // A table without a head has empty cells there, which are no headings.
  md.core.ruler.push('bailiwick-tables', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.tag !== 'th') continue;
      const text = tokens[token.nesting > 0 ? index + 1 : index - 1];
      if (text?.type === 'inline' && text.content === '') token.tag = 'td';
    }
  });
  // A long name may break after a part of it, so that it does not widen a table.
  md.renderer.rules.code_inline = (tokens, index, ...rest) => {
    const html = renderCode?.(tokens, index, ...rest) ?? '';
    if ((tokens[index]?.content.length ?? 0) < 16) return html;
    return html.replace(/(?<=>)[^<]+/, (text) => text.replaceAll(/[_.](?=\w)/g, '$&<wbr>'));
  };
}
