import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { paramsOf, reasons, rules } from '@bailiwick/gateway/http/errors.ts';
import { root } from '../local/paths.ts';

// Generates the tables of reasons and rules in docs/api.md.

const reasonRows = () =>
  Object.entries(reasons).map(([reason, meaning]) => {
    const params = (paramsOf[reason as keyof typeof reasons] ?? []).map((name) => `\`${name}\``);
    return `| \`${reason}\` | ${meaning} | ${params.join(', ')} |`;
  });

const ruleRows = () =>
  Object.entries(rules).map(([rule, meaning]) => `| \`${rule}\` | ${meaning} |`);

/** docs/api.md with the present tables. */
export function renderApi(): string {
  const text = readFileSync(join(root, 'docs/api.md'), 'utf8');
  const withReasons = withTable(
    text,
    ['reasons', 'packages/errors/reasons.ts'],
    ['| `Reason` | Meaning, and what to do | `Params` |', '| --- | --- | --- |', ...reasonRows()],
  );
  return withTable(
    withReasons,
    ['rules', 'packages/errors/problems.ts'],
    ['| `Rule` | Meaning |', '| --- | --- |', ...ruleRows()],
  );
}

/** The text with these lines between the two comments of a generated table. */
function withTable(
  text: string,
  [name, source]: readonly [name: string, source: string],
  lines: readonly string[],
): string {
  const begin = `<!-- ${name}: generated from ${source} -->\n`;
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(`\n<!-- end of ${name} -->`);
  if (from < begin.length || to < from) throw new Error(`docs/api.md has no place for the ${name}`);
  return `${text.slice(0, from)}${['', ...lines].join('\n')}\n${text.slice(to)}`;
}
