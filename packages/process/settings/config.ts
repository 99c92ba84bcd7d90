import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// A service's configuration: a table of environment variables. docs/configuration.md is generated
// from the tables, and a test compares the chart with them. A missing, malformed or unknown
// variable stops the start, which reports all problems at once.

/**
 * A mounted file or directory, with its content at the start. It may be replaced while the process
 * runs (watch.ts).
 */
export type Mounted<Content> = {
  path: string;
  content: Content;
  /** Reads the current content. @throws if it cannot be read */
  read(): Content;
};

type Kinds = {
  text: string;
  int: number;
  flag: boolean;
  list: string[];
  url: string;
  /** A mounted file. */
  file: Mounted<string>;
  /** The files of a mounted directory: file name without extension → content. */
  directory: Mounted<ReadonlyMap<string, string>>;
};

/** One environment variable, with its kind, default and description. */
export type Setting<Kind extends keyof Kinds = keyof Kinds> = {
  env: string;
  kind: Kind;
  /** One sentence for docs/configuration.md. */
  about: string;
  /** The default, as text. Without one the setting is required. */
  fallback?: string;
  /** Another variable, read if `env` is not set. */
  orElse?: string;
  /**
   * Throws if a value is invalid. The message continues a sentence that begins with the variable's
   * name. Gets the content of files and directories.
   */
  check?: (value: never) => unknown;
};

/** The settings of a process, by name. */
export type SettingTable = Record<string, Setting>;
/** The values of a table. */
export type Settings<Table extends SettingTable> = {
  [Name in keyof Table]: Kinds[Table[Name]['kind']];
};

/** Environment variables. */
export type Environment = Record<string, string | undefined>;

/** Reads a table from the environment. @throws ConfigurationError listing every problem */
export function readSettings<Table extends SettingTable>(
  table: Table,
  environment: Environment,
  tables: readonly SettingTable[] = [table],
): Settings<Table> {
  const problems: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(table)) {
    const source = sourceOf(setting, environment);
    if (source === undefined) problems.push(`${setting.env} is required: ${setting.about}`);
    else {
      try {
        const text = source();
        const value = parse(setting.kind, text);
        if (text === '' && setting.fallback === undefined) throw new Error('must not be empty');
        setting.check?.(contentOf(setting.kind, value) as never);
        settings[name] = value;
      } catch (error) {
        problems.push(`${setting.env} ${error instanceof Error ? error.message : 'is malformed'}`);
      }
    }
  }
  problems.push(...unknownVariables(environment, tables));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return settings as Settings<Table>;
}

/**
 * The variables that a setting is read from, in order. A URL may contain a password, so its
 * variable may end in _FILE and name a mounted file instead.
 */
export function namesOf({ env, orElse }: Pick<Setting, 'env' | 'orElse'>): string[] {
  return [env, ...(orElse === undefined ? [] : [orElse])].flatMap((name) =>
    name.endsWith('_URL') ? [name, `${name}_FILE`] : [name],
  );
}

function sourceOf(setting: Setting, environment: Environment): (() => string) | undefined {
  const name = namesOf(setting).find((one) => environment[one] !== undefined);
  const text = name === undefined ? setting.fallback : environment[name];
  if (text === undefined) return undefined;
  return name?.endsWith('_URL_FILE') ? () => readText(text) : () => text;
}

/** A check of whole numbers. */
export const atLeast = (least: number) => (number: number) => {
  if (number < least) throw new Error(`must be at least ${least}`);
};

/** A check that a text is one of the names. */
export const oneOf =
  (...names: readonly string[]) =>
  (text: string) => {
    if (!names.includes(text))
      throw new Error(`must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
  };

/** Invalid settings. The message lists every problem on a line of its own. */
export class ConfigurationError extends Error {
  constructor(problems: readonly string[]) {
    super(`invalid configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigurationError';
  }
}

// A misspelt variable would silently leave the default in force.
function unknownVariables(environment: Environment, tables: readonly SettingTable[]): string[] {
  const names = new Set(tables.flatMap((table) => Object.values(table).flatMap(namesOf)));
  return Object.keys(environment)
    .filter((name) => name.startsWith('BAILIWICK_') && !names.has(name))
    .map((name) => `${name} is not a setting of this process`);
}

const contentOf = (kind: keyof Kinds, value: unknown): unknown =>
  kind === 'file' || kind === 'directory' ? (value as Mounted<unknown>).content : value;

function parse(kind: keyof Kinds, text: string): unknown {
  switch (kind) {
    case 'text':
      return text;
    case 'int':
      if (!/^\d{1,9}$/.test(text)) throw new Error('must be a whole number');
      return Number(text);
    case 'flag':
      if (text !== 'true' && text !== 'false') throw new Error('must be true or false');
      return text === 'true';
    case 'list':
      return text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '');
    case 'url':
      if (!URL.canParse(text)) throw new Error('must be a URL');
      return text.replace(/\/+$/, '');
    case 'file':
      return mounted(text, readText);
    case 'directory':
      return mounted(text, readDirectory);
  }
}

function mounted<Content>(path: string, read: (path: string) => Content): Mounted<Content> {
  return { path, content: read(path), read: () => read(path) };
}

/** The trimmed text of a file. @throws if it cannot be read */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new Error(`names the file ${file}, which cannot be read`);
  }
}

function readDirectory(directory: string): ReadonlyMap<string, string> {
  try {
    // Skips the links that Kubernetes adds beside a Secret's keys, which begin with "..".
    const names = readdirSync(directory).filter((name) => !name.startsWith('.'));
    return new Map(
      names.map((name) => [path.parse(name).name, readText(path.join(directory, name))]),
    );
  } catch {
    throw new Error(`names the directory ${directory}, which cannot be read`);
  }
}
