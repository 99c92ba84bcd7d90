import { tokensOf } from './source.ts';

// Extracts the SQL statements of a queries.ts, and analyses them without a database.

export type FoundStatement = {
  /** The name of a prepared statement, or `<file>:<function>` of a statement in a transaction. */
  name: string;
  text: string;
};

const verbs = /^\s*(select|insert|update|delete|with)\b/i;

/** Every statement of a source text. `file` is part of the names of unnamed statements. */
export function statementsOf(file: string, source: string): FoundStatement[] {
  const texts = tokensOf(source).filter(({ kind }) => kind === 'text');
  const fragments = new Map<string, string>();
  const found: Array<FoundStatement & { constant: string }> = [];
  for (const { text, start } of texts) {
    const before = source.slice(0, start);
    const content = text.slice(1, -1);
    const constant = /const (\w+)(?:: \w+)? =\s*(?:\([^()]*\)\s*=>\s*)?$/.exec(before)?.[1] ?? '';
    if (constant !== '') fragments.set(constant, content);
    found.push({
      name: constant === '' ? nameOf(file, before) : `${file}:${constant}`,
      text: content,
      constant,
    });
  }
  // A fragment of other statements is not a statement.
  const isFragment = ({ constant }: { constant: string }) =>
    constant !== '' && texts.some(({ text }) => new RegExp(`\\$\\{${constant}\\b`).test(text));
  return found
    .filter((candidate) => !isFragment(candidate))
    .map(({ name, text }) => ({ name, text: inline(text, fragments) }))
    .filter(({ text }) => verbs.test(text));
}

function nameOf(file: string, before: string): string {
  const prepared = /name: '([^']+)',\s*text:\s*$/.exec(before)?.[1];
  return prepared ?? `${file}:${[...before.matchAll(/function (\w+)/g)].at(-1)?.[1] ?? ''}`;
}

/** Inlines constants and functions that return SQL. `argument` is the function's argument. */
function inline(
  text: string,
  fragments: ReadonlyMap<string, string>,
  argument?: string,
  depth = 0,
): string {
  if (depth > 5) throw new Error(`circular SQL fragments: ${text}`);
  return text.replace(
    /\$\{(\w+)(?:\('([^']*)'\))?\}/g,
    (whole, name: string, given: string | undefined) => {
      const fragment = fragments.get(name);
      return fragment === undefined
        ? (argument ?? whole)
        : inline(fragment, fragments, given, depth + 1);
    },
  );
}

/** The tables of `tables` that a statement reads or changes, with their aliases. */
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

/** The statement from its first condition on. */
const conditionsOf = (text: string): string => /\b(where|on)\b[\s\S]*/i.exec(text)?.[0] ?? '';

/** Whether the conditions mention the tenant of `alias` ("" = without an alias). */
export const mentionsTenant = (text: string, alias: string): boolean =>
  (alias === '' ? /(?<![.\w])tenant\b/ : new RegExp(`\\b${alias}\\.tenant\\b`)).test(
    conditionsOf(text),
  );

/** Whether the conditions compare a tenant with a parameter. */
export const bindsTenant = (text: string): boolean =>
  /\btenant\s*=\s*(\$\d+|any\s*\(\s*string_to_array\s*\(\s*\$\d+|'')|\btenant\s+in\s*\(\s*\$\d+|\btenant\s+in\s*\(\s*select\s+jsonb_array_elements_text\s*\(\s*\$\d+/i.test(
    conditionsOf(text),
  );
