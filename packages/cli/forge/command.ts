import { createHash } from 'node:crypto';
import process from 'node:process';
import { type Command, textOf } from '../command.ts';
import { warnOfPlaintext } from '../connect.ts';
import { exitCodes, UsageError } from '../failure.ts';
import { readText } from '../input.ts';
import { say } from '../output.ts';
import { type Forge, saveComment } from './forge.ts';
import { github, gitlab } from './forges.ts';

/** GitHub takes 65,536 characters. */
const longest = 65_000;

export const comment: Command = {
  takes: '',
  summary:
    'Writes a text as a comment of the pull or merge request that a job of GitHub or GitLab is about. It replaces its earlier comment of the same name.',
  options: {
    forge: { type: 'string' },
    file: { type: 'string', short: 'f' },
    name: { type: 'string' },
    author: { type: 'string' },
  },
  help: [
    ['--forge FORGE', 'github or gitlab: the job’s own variables say where, and with which token'],
    ['-f, --file FILE', 'the text in Markdown (- = standard input)'],
    ['--name NAME', 'one request has one comment of each name; default: plan'],
    ['--author LOGIN', 'github: who writes the comment; default: github-actions[bot]'],
  ],
  async run({ values, rest }) {
    const file = textOf(values['file']);
    if (file === undefined || rest.length > 0) throw new UsageError('--file FILE is required');
    const text = await readText(file, '--file');
    if (text.length > longest)
      throw new UsageError(`--file: the text is longer than ${longest} characters`);
    const forge = forgeOf(textOf(values['forge']), textOf(values['author']));
    const outcome = await saveComment(forge, markerOf(textOf(values['name']) ?? 'plan'), text);
    say(`the comment was ${outcome}`);
    return exitCodes.ok;
  },
};

function forgeOf(name: string | undefined, author: string | undefined): Forge {
  const address = process.env[name === 'gitlab' ? 'CI_API_V4_URL' : 'GITHUB_API_URL'];
  if (address !== undefined && URL.canParse(address)) warnOfPlaintext(address);
  if (name === 'github') return github(process.env, author);
  if (name === 'gitlab') return gitlab(process.env);
  throw new UsageError('--forge is github or gitlab');
}

/** The hidden first line of a comment. A name can contain anything, and a hash cannot end the line. */
const markerOf = (name: string) =>
  `<!-- bailiwick ${createHash('sha256').update(name).digest('hex').slice(0, 32)} -->`;
