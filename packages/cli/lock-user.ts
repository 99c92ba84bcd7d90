import { setTimeout as wait } from 'node:timers/promises';
import type { Client, ResponseOf } from '../client/client.ts';
import { type Command, textOf } from './command.ts';
import { connect } from './connect.ts';
import { type ExitCode, exitCodes, UsageError } from './failure.ts';
import { print, say } from './output.ts';
import { aligned, printable } from './text.ts';

type Answer = ResponseOf<'LockReceipts_Get'>;
type Receipt = NonNullable<Answer['Receipt']>;
type Row = Receipt['Rows'][number];

const pauseMs = 1000;
const reasonHelp = [
  '--reason TEXT',
  'why; required of a user who acts on another account',
] as const;

export const lockUser: Command = {
  takes: 'USER',
  summary:
    'Locks a user, by ID or address: ends sessions, tokens, codes and links, calls the apps of the user, and prints the receipt. Exits with 0 once the receipt is final, and with 3 before.',
  options: { reason: { type: 'string' }, watch: { type: 'boolean' } },
  help: [reasonHelp, ['--watch', 'print what changes, until the receipt is final']],
  async run({ values, rest: [name, ...more] }) {
    if (name === undefined || more.length > 0) throw new UsageError('lock takes one user');
    const client = await connect(values);
    const Reason = textOf(values['reason']) ?? '';
    const { Receipt: locked } = await client.call('Users_Lock', {
      UserID: await findUser(client, name),
      Reason,
    });
    const ID = locked?.ID ?? '';
    const isJson = values['json'] === true;
    if (!isJson && locked) print(pageOf(locked));
    const answer = await readReceipt(client, ID, {
      watches: values['watch'] === true,
      onChange: (row) => isJson || print(lineOf(row).join('  ')),
      rows: locked?.Rows ?? [],
    });
    if (isJson) print(JSON.stringify(answer, null, 2));
    return endOf(answer);
  },
};

export const unlockUser: Command = {
  takes: 'USER',
  summary:
    'Restores the account of a locked user, by ID or address, and nothing that the lock ended.',
  options: { reason: { type: 'string' } },
  help: [reasonHelp],
  async run({ values, rest: [name, ...more] }) {
    if (name === undefined || more.length > 0) throw new UsageError('unlock takes one user');
    const client = await connect(values);
    const UserID = await findUser(client, name);
    const answer = await client.call('Users_Unlock', {
      UserID,
      Reason: textOf(values['reason']) ?? '',
    });
    if (values['json'] === true) print(JSON.stringify(answer, null, 2));
    else say(`${printable(answer.User?.Email ?? UserID)} is ${answer.User?.Status ?? 'active'}`);
    return exitCodes.ok;
  },
};

async function findUser(client: Client, name: string): Promise<string> {
  if (!name.includes('@')) return name;
  return (await client.call('Users_GetByEmail', { Email: name })).User?.ID ?? '';
}

type Watch = { watches: boolean; onChange: (row: Row) => void; rows: readonly Row[] };

/** Reads a receipt: once, or until it is final. */
async function readReceipt(
  client: Client,
  ID: string,
  { watches, onChange, rows }: Watch,
): Promise<Answer> {
  const lines = new Map(rows.map((row) => [keyOf(row), lineOf(row).join()]));
  for (;;) {
    const answer = await client.call('LockReceipts_Get', { ID });
    for (const row of answer.Receipt?.Rows ?? []) {
      const line = lineOf(row).join();
      if (lines.get(keyOf(row)) === line) continue;
      lines.set(keyOf(row), line);
      onChange(row);
    }
    if (!watches || answer.Receipt?.Final) return answer;
    await wait(pauseMs);
  }
}

function endOf({ Receipt: receipt }: Answer): ExitCode {
  if (receipt?.Final) {
    say(`receipt ${receipt.ID} is final`);
    return exitCodes.ok;
  }
  say(`receipt ${receipt?.ID ?? ''} is not final: see LockReceipts_Get`);
  return exitCodes.pending;
}

const pageOf = ({ ID, Subject, At, Rows }: Receipt): string =>
  [
    aligned([
      ['Receipt', printable(ID)],
      ['User', printable(Subject)],
      ['Time', At ?? ''],
    ]),
    ...(Rows.length > 0
      ? [aligned([['State', 'Kind', 'Name', 'Ends', 'Detail', 'Holder'], ...Rows.map(lineOf)])]
      : []),
  ].join('\n\n');

const keyOf = ({ Kind, Holder, SessionID }: Row) => [Kind, Holder, SessionID].join(' ');

const lineOf = ({ State, Kind, Name, EndsAt, Detail, Holder }: Row): string[] => [
  printable(State),
  printable(Kind),
  printable(Name),
  EndsAt ?? '',
  printable(Detail),
  printable(Holder),
];
