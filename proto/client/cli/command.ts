import type { ParseArgsConfig } from 'node:util';
import type { ExitCode } from './failure.ts';
import type { Values } from './fields.ts';

/** What a command is given: its options by name, and what stands beside them. */
export type Given = { readonly values: Values; readonly rest: readonly string[] };

export type Command = {
  /** What stands beside the options, for the usage line. */
  readonly takes: string;
  readonly summary: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** Options in words: ["--file FILE", "what it is"]. */
  readonly help: ReadonlyArray<readonly [option: string, text: string]>;
  readonly run: (given: Given) => Promise<ExitCode>;
};

/** The options of all commands. */
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
    'where Bailiwick is; else BAILIWICK_URL, where you signed in last, http://127.0.0.1:8080',
  ],
  [
    '--token-file FILE',
    'a session token or bot key (- = standard input); else BAILIWICK_TOKEN, what login kept',
  ],
  ['--timeout SECONDS', 'for each call with its retries: 30'],
  ['--json', 'JSON for programs instead of tables for people'],
  ['-h, --help', 'about the command'],
];

export const textOf = (value: Values[string]): string | undefined =>
  typeof value === 'string' ? value : undefined;
