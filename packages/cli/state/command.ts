import process from 'node:process';
import type { Client } from '../../client/client.ts';
import { type Command, type Given, textOf } from '../command.ts';
import { type Connection, connect, urlOf } from '../connect.ts';
import { type ExitCode, exitCodes, Refusal, UsageError } from '../failure.ts';
import { ask, readText } from '../input.ts';
import { print, say } from '../output.ts';
import { defaultTenant, findTenant } from '../tenant.ts';
import { printable, table } from '../text.ts';
import { type Change, differences } from './changes.ts';
import { readWanted } from './file.ts';
import { type Names, readLive, resolveSubjects } from './live.ts';
import { type Preview, previewChanges } from './preview.ts';

const options: Command['options'] = {
  file: { type: 'string', short: 'f' },
  tenant: { type: 'string' },
  prune: { type: 'boolean' },
};
const help: Command['help'] = [
  ['-f, --file FILE', 'roles, groups and grants in YAML (- = standard input)'],
  ['--tenant ID|SLUG', 'overrides Tenant in the file; default: the tenant of bailiwick use'],
  [
    '--prune',
    'also remove records that the file does not name, in the parts it contains; owners stay',
  ],
];

export const plan: Command = {
  takes: '',
  summary:
    'Shows what a file of roles, groups and grants would change in a tenant, and which permissions users and bots would gain or lose. Changes nothing.',
  options: { ...options, 'detailed-exitcode': { type: 'boolean' } },
  help: [...help, ['--detailed-exitcode', 'exit with 3 if changes are pending']],
  async run(given) {
    const planned = await makePlan(given);
    showPlan(planned, given);
    if (planned.preview.refused.length > 0) return exitCodes.failed;
    return planned.changes.length > 0 && given.values['detailed-exitcode'] === true
      ? exitCodes.pending
      : exitCodes.ok;
  },
};

export const apply: Command = {
  takes: '',
  summary:
    'Applies a file of roles, groups and grants to a tenant, after showing the plan and asking.',
  options: { ...options, yes: { type: 'boolean', short: 'y' } },
  help: [...help, ['-y, --yes', 'do not ask']],
  async run(given) {
    const planned = await makePlan(given);
    showPlan(planned, given);
    if (planned.changes.length === 0) return exitCodes.ok;
    if (planned.preview.refused.length > 0)
      throw new Refusal('nothing was changed: some changes would be rejected');
    await confirm(planned.changes.length, given);
    return makeChanges(planned);
  },
};

type Planned = {
  client: Client;
  changes: Change[];
  extra: Change[];
  names: Names;
  preview: Preview;
};

async function makePlan({ values, rest }: Given): Promise<Planned> {
  const file = textOf(values['file']);
  if (file === undefined || rest.length > 0) throw new UsageError('--file FILE is required');
  const written = readWanted(await readText(file, '--file'), file);
  const client = await connect(values);
  const connection: Connection = values;
  const name = textOf(values['tenant']) || written.Tenant || defaultTenant(urlOf(connection));
  if (name === undefined)
    throw new Refusal(
      'no tenant is given: set Tenant in the file, --tenant, or a default with bailiwick use',
    );
  const tenant = await findTenant(client, name);
  const { wanted, names } = await resolveSubjects(client, tenant, written);
  const difference = differences(tenant, wanted, await readLive(client, tenant, wanted), names);
  const prune = values['prune'] === true;
  const changes = prune ? [...difference.changes, ...difference.removals] : difference.changes;
  return {
    client,
    changes,
    extra: prune ? [] : difference.removals,
    names,
    preview: await previewChanges(client, tenant, changes),
  };
}

function showPlan({ changes, extra, names, preview }: Planned, { values }: Given): void {
  const { Gained, Lost, refused, notes } = preview;
  if (values['json'] === true) {
    const inJson = (list: readonly Change[]) =>
      list.map(({ operation, request }) => ({ Operation: operation, Request: request }));
    return print(
      JSON.stringify(
        {
          Changes: inJson(changes),
          Extra: inJson(extra),
          Gained,
          Lost,
          Refused: refused,
          Notes: notes,
        },
        null,
        2,
      ),
    );
  }
  for (const { text } of changes) print(printable(text));
  if (changes.length === 0) print('nothing to do');
  const people = (list: Preview['Gained']) =>
    list.map((one) => ({ ...one, Subject: names.get(one.Subject) ?? one.Subject }));
  if (Gained.length > 0) print(`\nGained\n${table(people(Gained))}`);
  if (Lost.length > 0) print(`\nLost\n${table(people(Lost))}`);
  if (extra.length > 0)
    print(
      `\nNot in the file, and left alone without --prune\n${extra.map(({ text }) => `  ${printable(text.slice(2))}`).join('\n')}`,
    );
  for (const line of [...refused, ...notes]) say(`! ${printable(line)}`);
}

async function confirm(count: number, { values }: Given): Promise<void> {
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
