import { type Command, commonHelp } from './command.ts';
import { operations } from './gen/help.ts';
import { aligned } from './text.ts';

/** The overview of commands and operations. */
export function overview(commands: Readonly<Record<string, Command>>): string {
  const areas = new Set(Object.keys(operations).map(areaOf));
  return [
    'bailiwick COMMAND|OPERATION [OPTIONS]',
    'bailiwick --version',
    '',
    'Commands',
    indented(Object.entries(commands).map(([name, { summary }]) => [name, firstSentence(summary)])),
    '',
    'Operations (details: bailiwick help OPERATION)',
    indented([...areas].map((area) => [area, verbsOf(area).join(' ')])),
    '',
    'Common options',
    indented(commonHelp),
    '',
    'Exit codes: 0 success, 1 rejected or failed, 2 usage error, 3 changes are pending (plan --detailed-exitcode),',
    '            4 not signed in, 5 unreachable or timed out, 6 not found',
  ].join('\n');
}

const areaOf = (name: string) => name.slice(0, name.indexOf('_'));
const verbsOf = (area: string) =>
  Object.keys(operations)
    .filter((name) => areaOf(name) === area)
    .map((name) => name.slice(area.length));

/** The help page of one command or operation. */
export function page(name: string, { takes, summary, help }: Command): string {
  const own = help.length === 0 ? [] : ['', 'Options', indented(help)];
  return [
    `bailiwick ${name} ${takes === '' ? '' : `${takes} `}[OPTIONS]`,
    '',
    summary,
    ...own,
    '',
    'Common options',
    indented(commonHelp),
  ].join('\n');
}

const indented = (lines: ReadonlyArray<readonly string[]>) =>
  aligned(lines).replaceAll(/^/gm, '  ');

const firstSentence = (text: string) =>
  (/^.*?[.](?=\s|$)/.exec(text)?.[0] ?? text).replace(/[.]$/, '');
