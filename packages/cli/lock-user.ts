import { setTimeout as wait } from 'node:timers/promises';
import type { Client, ResponseOf } from '../client/client.ts';
import { type Command, textOf } from './command.ts';
import { connect, urlOf } from './connect.ts';
import { type ExitCode, exitCodes, UsageError } from './failure.ts';
import type { Values } from './fields.ts';
import { print, say } from './output.ts';
import { defaultTenant, findTenant } from './tenant.ts';
import { aligned, printable } from './text.ts';

type Answer = ResponseOf<'LockReceipts_Get'>;
type Receipt = NonNullable<Answer['Receipt']>;
type Row = Receipt['Rows'][number];

const pauseMs = 1000;
const reasonHelp = [
  '--reason TEXT',
  'why; required of a user who acts on another account',
] as const;

export const lock: Command = {
  takes: 'USER|BOT|APP',
  summary:
    'Locks a user, by ID or address, or a bot or app by ID: ends sessions, tokens, codes and links, calls the apps of a user, and prints the receipt. Exits with 0 once the receipt is final, and with 3 before.',
  options: { reason: { type: 'string' }, watch: { type: 'boolean' }, tenant: { type: 'string' } },
  help: [
    reasonHelp,
    ['--watch', 'print what changes, until the receipt is final'],
    ['--tenant ID|SLUG', 'of the bot or app; default: the tenant of bailiwick use'],
  ],
  async run({ values, rest: [name, ...more] }) {
    if (name === undefined || more.length > 0)
      throw new UsageError('lock takes one user, bot or app');
    const client = await connect(values);
    const Tenant = await tenantOf(client, name, values);
    const Reason = textOf(values['reason']) ?? '';
    const locked = await begin(client, name, { Tenant, Reason });
    if (!locked) {
      say(`${printable(name)} is locked, and its receipt is no longer kept`);
      return exitCodes.ok;
    }
    const { ID, Rows: rows } = locked;
    const isJson = values['json'] === true;
    if (!isJson) print(pageOf(locked));
    const answer = await readReceipt(
      client,
      { ID, Tenant },
      {
        watches: values['watch'] === true,
        onChange: (row) => isJson || print(lineOf(row).join('  ')),
        rows,
      },
    );
    if (isJson) print(JSON.stringify(answer, null, 2));
    return endOf(answer);
  },
};

type Act = { Tenant: string; Reason: string };

async function begin(client: Client, name: string, act: Act): Promise<Receipt | undefined> {
  const ofTenant = { ...act, ID: name };
  if (name.startsWith('bot_')) return (await client.call('Bots_Lock', ofTenant)).Receipt;
  if (name.startsWith('app_')) return (await client.call('Apps_Lock', ofTenant)).Receipt;
  const UserID = await findUser(client, name);
  return (await client.call('Users_Lock', { UserID, Reason: act.Reason })).Receipt;
}

/** The tenant of a bot or app; "" = the platform, as of a user. */
async function tenantOf(client: Client, name: string, values: Values): Promise<string> {
  if (!/^(bot|app)_/.test(name)) return '';
  const tenant = textOf(values['tenant']) ?? defaultTenant(urlOf(values));
  return tenant === undefined || tenant === '' ? '' : findTenant(client, tenant);
}

export const unlock: Command = {
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
  request: { ID: string; Tenant: string },
  { watches, onChange, rows }: Watch,
): Promise<Answer> {
  const lines = new Map(rows.map((row) => [keyOf(row), lineOf(row).join()]));
  for (;;) {
    const answer = await client.call('LockReceipts_Get', request);
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
      ['Subject', printable(Subject)],
      ['Time', At ?? ''],
    ]),
    ...(Rows.length > 0
      ? [aligned([['State', 'Kind', 'Name', 'Ends', 'Detail', 'Holder'], ...Rows.map(lineOf)])]
      : []),
  ].join('\n\n');

const keyOf = ({ Kind, Holder, SessionID }: Row) => [Kind, Holder, SessionID].join(' ');

const lineOf = ({ State, Kind, Name, EndsAt, Detail, Followers, Holder }: Row): string[] => [
  printable(State),
  printable(Kind),
  printable(Name),
  EndsAt ?? '',
  [followersText(Followers), printable(Detail)].filter((text) => text !== '').join('; '),
  printable(Holder),
];

function followersText(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '1 follower has dropped it too' : `${count} followers have dropped it too`;
}
