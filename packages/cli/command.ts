import type { ParseArgsConfig } from 'node:util';
import type { ExitCode } from './failure.ts';
import type { Values } from './fields.ts';

/** The input of a command: its options by name, and its positional arguments. */
export type CommandInput = { readonly values: Values; readonly rest: readonly string[] };

export type Command = {
  /** The positional arguments, for the usage line. */
  readonly takes: string;
  readonly summary: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** Help of the options: ["--file FILE", "description"]. */
  readonly help: ReadonlyArray<readonly [option: string, text: string]>;
  /** Options that take true or false, and mean true without a value. */
  readonly flags?: readonly string[];
  readonly run: (input: CommandInput) => Promise<ExitCode>;
};

/** The common options of all commands. */
export const commonOptions = {
  url: { type: 'string' },
  'token-file': { type: 'string' },
  timeout: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies NonNullable<ParseArgsConfig['options']>;

export const commonHelp: Command['help'] = [
  [
    '--url URL',
    'address of Bailiwick; default: BAILIWICK_URL, else the last login, else http://localhost:8080',
  ],
  [
    '--token-file FILE',
    'file with a session token or bot key (- = standard input); default: BAILIWICK_TOKEN, else the keyless bot in BAILIWICK_BOT, else the stored login',
  ],
  ['--timeout SECONDS', 'time limit of each call with its retries; default: 30'],
  ['--json', 'print JSON instead of tables'],
  ['-h, --help', 'show help'],
];

export const textOf = (option: Values[string]): string | undefined =>
  typeof option === 'string' ? option : undefined;
