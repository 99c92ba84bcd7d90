import { print, say } from '../output.ts';
import { printable, table } from '../text.ts';
import type { Change } from './changes.ts';
import { renderPlan } from './markdown.ts';
import type { Planned } from './plan.ts';

// Prints a plan: for a terminal, for a script, or for a comment in a forge.

export type Format = 'text' | 'json' | 'markdown';

export function showPlan(planned: Planned, format: Format): void {
  if (format === 'json') showJson(planned);
  else if (format === 'markdown') print(renderPlan(planned));
  else showText(planned);
}

function showJson({ changes, extra, preview, violations }: Planned): void {
  const inJson = (list: readonly Change[]) =>
    list.map(({ operation, request }) => ({ Operation: operation, Request: request }));
  const { Gained, Lost, refused, notes } = preview;
  const plan = {
    Changes: inJson(changes),
    Extra: inJson(extra),
    Gained,
    Lost,
    Refused: refused,
    Forbidden: violations,
    Notes: notes,
  };
  print(JSON.stringify(plan, null, 2));
}

function showText({ changes, extra, names, preview, violations }: Planned): void {
  const { Gained, Lost, refused, notes } = preview;
  for (const { text } of changes) print(printable(text));
  if (changes.length === 0) print('nothing to do');
  const people = (list: typeof Gained) =>
    list.map((one) => ({ ...one, Subject: names.get(one.Subject) ?? one.Subject }));
  if (Gained.length > 0) print(`\nGained\n${table(people(Gained))}`);
  if (Lost.length > 0) print(`\nLost\n${table(people(Lost))}`);
  if (extra.length > 0)
    print(
      `\nNot in the file, and left alone without --prune\n${extra.map(({ text }) => `  ${printable(text.slice(2))}`).join('\n')}`,
    );
  for (const line of [...refused, ...notes]) say(`! ${printable(line)}`);
  for (const line of violations) say(`! policy: ${printable(line)}`);
}
