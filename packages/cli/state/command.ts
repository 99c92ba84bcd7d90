import process from 'node:process';
import { type Command, type CommandInput, textOf } from '../command.ts';
import { type ExitCode, exitCodes, explain, Refusal, UsageError } from '../failure.ts';
import { ask } from '../input.ts';
import { print, say } from '../output.ts';
import { printable } from '../text.ts';
import { renderFailure } from './markdown.ts';
import { makePlan, type Planned } from './plan.ts';
import { type Format, showPlan } from './show.ts';

const options: Command['options'] = {
  file: { type: 'string', short: 'f' },
  tenant: { type: 'string' },
  prune: { type: 'boolean' },
  base: { type: 'string' },
};
const help: Command['help'] = [
  ['-f, --file FILE', 'roles, groups, grants and policy in YAML (- = standard input)'],
  ['--tenant ID|SLUG', 'overrides Tenant in the file; default: the tenant of bailiwick use'],
  [
    '--prune',
    'also remove records that the file does not name, in the parts it contains; owners stay',
  ],
  [
    '--base FILE',
    'the file before this change: its policy counts too, for holders before the change',
  ],
];

export const plan: Command = {
  takes: '',
  summary:
    'Shows what a file of roles, groups and grants would change in a tenant, which permissions users and bots would gain or lose, and what the policy in the file forbids. Changes nothing.',
  options: {
    ...options,
    format: { type: 'string' },
    'for-bot': { type: 'string' },
    'detailed-exitcode': { type: 'boolean' },
  },
  help: [
    ...help,
    ['--format FORMAT', 'text, json, or markdown for a comment in a forge; default: text'],
    [
      '--for-bot ID',
      'the bot that will apply the file: its permissions count, and this caller needs only those to read',
    ],
    ['--detailed-exitcode', 'exit with 3 if changes are pending'],
  ],
  async run(input) {
    const format = formatOf(input);
    try {
      const planned = await makePlan(input);
      showPlan(planned, format);
      if (isRefused(planned)) return exitCodes.failed;
      return planned.changes.length > 0 && input.values['detailed-exitcode'] === true
        ? exitCodes.pending
        : exitCodes.ok;
    } catch (error) {
      if (format === 'markdown') print(renderFailure(explain(error).lines));
      throw error;
    }
  },
};

function formatOf({ values }: CommandInput): Format {
  const format = textOf(values['format']) ?? (values['json'] === true ? 'json' : 'text');
  if (format === 'text' || format === 'json' || format === 'markdown') return format;
  throw new UsageError('--format is text, json or markdown');
}

const isRefused = ({ preview, violations }: Planned) =>
  preview.refused.length > 0 || violations.length > 0;

export const apply: Command = {
  takes: '',
  summary:
    'Applies a file of roles, groups and grants to a tenant, after showing the plan and asking.',
  options: { ...options, yes: { type: 'boolean', short: 'y' } },
  help: [...help, ['-y, --yes', 'do not ask']],
  async run(input) {
    const planned = await makePlan(input);
    showPlan(planned, formatOf(input));
    if (planned.violations.length > 0)
      throw new Refusal('nothing was changed: the policy forbids some changes');
    if (planned.changes.length === 0) return exitCodes.ok;
    if (planned.preview.refused.length > 0)
      throw new Refusal('nothing was changed: some changes would be rejected');
    await confirm(planned.changes.length, input);
    return makeChanges(planned);
  },
};

async function confirm(count: number, { values }: CommandInput): Promise<void> {
  if (values['yes'] === true) return;
  if (!process.stdin.isTTY)
    throw new UsageError(
      'there is no terminal to ask on: use --yes to make the changes without asking',
    );
  const answer = await ask(
    `Make ${count === 1 ? 'this change' : `these ${count} changes`}? (yes/no) `,
  );
  if (!/^y(es)?$/i.test(answer.trim())) throw new Refusal('nothing was changed');
}

/** Makes the changes in order, since later ones depend on earlier ones. After a failure the next apply continues from there. */
async function makeChanges({ client, changes }: Planned): Promise<ExitCode> {
  for (const [index, { operation, request, text }] of changes.entries()) {
    try {
      await client.call(operation, request);
    } catch (error) {
      say(`! ${printable(text)} failed; ${index} of ${changes.length} changes were made`);
      throw error;
    }
  }
  say(`${changes.length === 1 ? '1 change was' : `${changes.length} changes were`} made`);
  return exitCodes.ok;
}
