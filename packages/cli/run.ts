import { parseArgs } from 'node:util';
import { type Command, commonOptions } from './command.ts';
import { candidates, completion } from './completion.ts';
import { type ExitCode, exitCodes, explain, UsageError } from './failure.ts';
import { comment } from './forge/command.ts';
import { operations } from './gen/help.ts';
import { overview, page } from './help.ts';
import { importUsers } from './import/command.ts';
import { lock, unlock } from './lock-user.ts';
import { login, logout } from './login.ts';
import { operationCommand } from './operation.ts';
import { parseOptions } from './options.ts';
import { print, say } from './output.ts';
import { readPackageFile } from './package-files.ts';
import { hintOf, similarNames } from './similar.ts';
import { apply, plan } from './state/command.ts';
import { use } from './tenant.ts';
import { exportTenant } from './tenant-file/export.ts';
import { printable } from './text.ts';
import { why } from './why.ts';

const help: Command = {
  takes: '[COMMAND|OPERATION]',
  summary: 'Shows help for a command or an operation.',
  options: {},
  help: [],
  run({ rest: [name] }) {
    print(name === undefined ? overview(commands) : page(name, commandOf(name)));
    return Promise.resolve(exitCodes.ok);
  },
};

const schema: Command = {
  takes: '',
  summary:
    'Prints the JSON Schema of the file of plan and apply, with which editors complete roles and permissions.',
  options: {},
  help: [],
  run({ rest }) {
    if (rest.length > 0) throw new UsageError('schema takes no arguments');
    print(readPackageFile('rights.schema.json').trimEnd());
    return Promise.resolve(exitCodes.ok);
  },
};

const commands: Readonly<Record<string, Command>> = {
  login,
  logout,
  use,
  plan,
  apply,
  schema,
  comment,
  why,
  lock,
  unlock,
  import: importUsers,
  export: exportTenant,
  completion,
  help,
};

/** Runs a command line. Prints errors, and returns the exit code. */
export async function run(args: readonly string[]): Promise<ExitCode> {
  try {
    if (args[0] === '__complete') {
      for (const word of candidates(
        args.slice(1),
        Object.keys(commands),
        findCommand,
        Object.keys(commonOptions),
      ))
        print(word);
      return exitCodes.ok;
    }
    return await runCommand(args);
  } catch (error) {
    const { exitCode, lines } = explain(error);
    for (const line of lines) say(`bailiwick: ${line}`);
    return exitCode;
  }
}

async function runCommand(args: readonly string[]): Promise<ExitCode> {
  // Common options may precede the command.
  const { tokens } = parseArgs({
    args: [...args],
    options: commonOptions,
    strict: false,
    tokens: true,
  });
  const first = tokens.find(({ kind }) => kind === 'positional');
  if (first?.kind !== 'positional') {
    if (args.includes('--version')) {
      print(version());
      return exitCodes.ok;
    }
    if (args.length > 0 && !args.includes('--help') && !args.includes('-h'))
      throw new UsageError('no command is given');
    print(overview(commands));
    return exitCodes.ok;
  }
  const command = commandOf(first.value);
  const { values, positionals } = parseOptions(
    args.filter((_, index) => index !== first.index),
    command,
  );
  if (values['help'] === true) {
    print(page(first.value, command));
    return exitCodes.ok;
  }
  return command.run({ values, rest: positionals });
}

const findCommand = (name: string): Command | undefined =>
  Object.hasOwn(commands, name) ? commands[name] : operationCommand(name);

function commandOf(name: string): Command {
  const command = findCommand(name);
  if (command !== undefined) return command;
  const hint = hintOf(similarNames(name, [...Object.keys(commands), ...Object.keys(operations)]));
  throw new UsageError(`there is no command or operation ${printable(name)}${hint}`);
}

const version = (): string =>
  (JSON.parse(readPackageFile('package.json')) as { version: string }).version;
