import { tokensOf } from './source.ts';

// The SQL of a queries.ts, with its pieces put together, and what can be said of it without a database.

export type FoundStatement = {
  /** The prepared statement's name, or `<file>:<function>` of one that is run inside a transaction. */
  name: string;
  text: string;
};

const verbs = /^\s*(select|insert|update|delete|with)\b/i;

/** Every statement of a source text. `file` names those that have no name of their own. */
export function statementsOf(file: string, source: string): FoundStatement[] {
  const texts = tokensOf(source).filter(({ kind }) => kind === 'text');
  const pieces = new Map<string, string>();
  const found: Array<FoundStatement & { constant: string }> = [];
  for (const { text, start } of texts) {
    const before = source.slice(0, start);
    const content = text.slice(1, -1);
    const constant = /const (\w+)(?:: \w+)? =\s*(?:\([^()]*\)\s*=>\s*)?$/.exec(before)?.[1] ?? '';
    if (constant !== '') pieces.set(constant, content);
    found.push({
      name: constant === '' ? nameOf(file, before) : `${file}:${constant}`,
      text: content,
      constant,
    });
  }
  // What others are put together from is no statement by itself.
  const isPiece = ({ constant }: { constant: string }) =>
    constant !== '' && texts.some(({ text }) => new RegExp(`\\$\\{${constant}\\b`).test(text));
  return found
    .filter((candidate) => !isPiece(candidate))
    .map(({ name, text }) => ({ name, text: putTogether(text, pieces) }))
    .filter(({ text }) => verbs.test(text));
}

function nameOf(file: string, before: string): string {
  const prepared = /name: '([^']+)',\s*text:\s*$/.exec(before)?.[1];
  return prepared ?? `${file}:${[...before.matchAll(/function (\w+)/g)].at(-1)?.[1] ?? ''}`;
}

/** Puts constants and the results of functions that make SQL in the places where they are used. `argument` is for the piece of a function. */
function putTogether(
  text: string,
  pieces: ReadonlyMap<string, string>,
  argument?: string,
  depth = 0,
): string {
  if (depth > 5) throw new Error(`pieces of SQL that contain each other: ${text}`);
  return text.replace(
    /\$\{(\w+)(?:\('([^']*)'\))?\}/g,
    (whole, name: string, given: string | undefined) => {
      const piece = pieces.get(name);
      return piece === undefined
        ? (argument ?? whole)
        : putTogether(piece, pieces, given, depth + 1);
    },
  );
}

/** The tables among `tables` whose rows a statement reads or changes, each with the name it goes by there. */
export function tablesIn(
  text: string,
  tables: ReadonlySet<string>,
): Array<{ table: string; alias: string }> {
  return [...text.matchAll(/\b(?:from|join|update|using)\s+(\w+)(?:\s+(?:as\s+)?(\w+))?/gi)]
    .map(([, table = '', next = '']) => ({
      table,
      alias: /^(where|set|on|order|join|left|group|limit|for|using|returning)$/i.test(next)
        ? ''
        : next,
    }))
    .filter(({ table }) => tables.has(table));
}

/** Everything from the first condition on. */
const conditionsOf = (text: string): string => /\b(where|on)\b[\s\S]*/i.exec(text)?.[0] ?? '';

/** Whether the conditions speak of the tenant of the rows that go by `alias` ("" = by no name). */
export const mentionsTenant = (text: string, alias: string): boolean =>
  (alias === '' ? /(?<![.\w])tenant\b/ : new RegExp(`\\b${alias}\\.tenant\\b`)).test(
    conditionsOf(text),
  );

/** Whether some tenant in the conditions is compared with what the caller of the statement gives. */
export const bindsTenant = (text: string): boolean =>
  /\btenant\s*=\s*(\$\d+|any\s*\(\s*string_to_array\s*\(\s*\$\d+|'')|\btenant\s+in\s*\(\s*\$\d+|\btenant\s+in\s*\(\s*select\s+jsonb_array_elements_text\s*\(\s*\$\d+/i.test(
    conditionsOf(text),
  );
