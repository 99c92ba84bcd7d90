import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import type { Client, ListName, OperationName, RequestOf, StreamName } from '../client/client.ts';
import { BailiwickError } from '../client/errors.ts';
import { withIdempotencyKey } from '../client/gen/operations.ts';
import type { Streams } from '../client/gen/types.ts';
import { type Command, type CommandInput, textOf } from './command.ts';
import { type Connection, connect, urlOf } from './connect.ts';
import { type ExitCode, exitCodes, Refusal, UsageError } from './failure.ts';
import { flagsOf, isRepeated, readRequest } from './fields.ts';
import { type Field, type Help, operations } from './gen/help.ts';
import { isClosed, print, printAnswer, printItems, say } from './output.ts';
import { fillTenant, isTenant } from './tenant.ts';

/** The command for an operation. Undefined if there is no such operation. */
export function operationCommand(name: string): Command | undefined {
  const help = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (help === undefined) return undefined;
  const all =
    help.answers === 'page'
      ? ([['--all', 'all pages; with --json one item per line']] as const)
      : [];
  const keyed = withIdempotencyKey.has(name)
    ? ([
        [
          '--idempotency-key KEY',
          'the same key and request within 24 hours return the first response',
        ],
      ] as const)
    : [];
  return {
    takes: '',
    summary: `${help.text}\n\nWho may: ${help.access}.`,
    options: {
      data: { type: 'string' },
      ...(all.length > 0 && { all: { type: 'boolean' } }),
      ...(keyed.length > 0 && { 'idempotency-key': { type: 'string' } }),
      ...flagsOf(help.fields),
    },
    flags: help.fields.filter(({ kind }) => kind === 'flag').map(({ path }) => path),
    help: [
      ...help.fields.map(flagHelp),
      ['--data JSON', 'the request as JSON, @file, or - for the standard input. Flags override it'],
      ...all,
      ...keyed,
    ],
    run: (input) => runOperation(name, help, input),
  };
}

const placeholders: Record<Field['kind'], string> = {
  text: 'TEXT',
  secret: '@FILE|-',
  texts: 'TEXT',
  flag: '[true|false]',
  number: 'NUMBER',
  time: 'TIME',
  bytes: 'BASE64',
  map: 'KEY=VALUE',
  json: 'JSON',
};

function flagHelp(field: Field): [string, string] {
  const notes = [
    field.text,
    field.required ? 'Required.' : '',
    isRepeated(field) ? "Can be repeated; '' = empty." : '',
  ];
  const placeholder = isTenant(field) ? 'ID|SLUG' : placeholders[field.kind];
  return [`--${field.path} ${placeholder}`, notes.filter((note) => note !== '').join(' ')];
}

async function runOperation(name: string, help: Help, { values, rest }: CommandInput) {
  const { fields, answers } = help;
  if (rest.length > 0) throw new UsageError(`${name} takes only options: ${rest.join(' ')}`);
  const request = await readRequest(fields, values, textOf(values['data']));
  const connection: Connection = values;
  const client = await connect(connection);
  const tenant = await fillTenant(client, request, help, urlOf(connection));
  const json = values['json'] === true;
  if (answers === 'stream') await printStream(client, name as StreamName, request);
  // The service validates the request, and its messages describe the errors.
  else if (values['all'] === true)
    await printAll(client, name as ListName, request, { json, tenant });
  else
    return printOne(client, name as OperationName, request, {
      json,
      tenant,
      idempotencyKey: textOf(values['idempotency-key']),
    });
  return exitCodes.ok;
}

async function printStream(
  client: Client,
  name: StreamName,
  request: Streams[StreamName]['request'],
): Promise<void> {
  const { body } = await client.stream(name, request);
  if (body === null) return;
  try {
    await pipeline(body, process.stdout, { end: false });
  } catch {
    if (!isClosed())
      throw new Refusal(
        `${name}: the response was cut off, and the output is incomplete`,
        exitCodes.unavailable,
      );
  }
}

async function printAll(
  client: Client,
  name: ListName,
  request: RequestOf<ListName>,
  { json, tenant }: Printing,
): Promise<void> {
  const items: unknown[] = [];
  for await (const record of client.list(name, request)) {
    if (isClosed()) return;
    if (json) print(JSON.stringify(record));
    else items.push(record);
  }
  if (!json) printItems(items, tenant);
}

/** `tenant`: the one of the request. */
type Printing = { json: boolean; tenant: string | undefined };

/** Prints a failed call as JSON, in the form of its ErrorResponse. */
function printFailure(error: unknown): void {
  if (!(error instanceof BailiwickError)) return;
  const { Code, Reason, Messages, Params, Problems, RequestID } = error;
  const Message = Messages[0] ?? Code;
  print(JSON.stringify({ Code, Reason, Message, Messages, Params, Problems, RequestID }, null, 2));
}

async function printOne(
  client: Client,
  name: OperationName,
  request: RequestOf<OperationName>,
  { json, tenant, idempotencyKey }: Printing & { idempotencyKey: string | undefined },
): Promise<ExitCode> {
  const answer = (await client.call(name, request, { idempotencyKey }).catch((error: unknown) => {
    if (json) printFailure(error);
    throw error;
  })) as {
    Page?: { Items: unknown[]; NextCursor: string };
  };
  if (json) print(JSON.stringify(answer, null, 2));
  else if (answer.Page !== undefined) {
    printItems(answer.Page.Items, tenant);
    if (answer.Page.NextCursor !== '') say('there are more items: use --all');
  } else if (Object.keys(answer).length === 0) say('done');
  else printAnswer(answer, tenant);
  if (!isNothing(answer)) return exitCodes.ok;
  say(`bailiwick: ${name}: not found`);
  return exitCodes.notFound;
}

/** Whether the only content of a response is that the record does not exist: { Group: null }. */
function isNothing(answer: object): boolean {
  const values: unknown[] = Object.values(answer);
  return values.length > 0 && values.every((field) => field === null);
}
