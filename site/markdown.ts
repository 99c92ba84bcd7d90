/** The anchor of a heading, as forges write it: links between documents work in both places. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

export const withoutCodeBlocks = (text: string): string => text.replace(/^```.*?^```$/gms, '');

/** A Markdown table. A `|` in a cell is escaped. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A fenced block of code. */
export const fence = (language: string, code: string): string =>
  `\`\`\`${language}\n${code}\n\`\`\``;

/** Inline code, even for a text that holds backticks. */
export function code(text: string): string {
  const mark = '`'.repeat(
    Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length)) + 1,
  );
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${mark}${space}${text}${space}${mark}`;
}
