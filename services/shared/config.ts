import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// A service's configuration: a table of environment variables. docs/configuration.md is generated from
// the tables, the chart is compared with them, and whatever is missing, malformed or unknown stops the
// start with all problems at once.

/** Something that was mounted, as it was at the start. Whoever mounted it may replace it: watch.ts. */
export type Mounted<Content> = {
  path: string;
  content: Content;
  /** As it is now. Throws where it cannot be read. */
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
  /** The files of a mounted directory: name without its ending → content. */
  directory: Mounted<ReadonlyMap<string, string>>;
};

export type Setting<Kind extends keyof Kinds = keyof Kinds> = {
  env: string;
  kind: Kind;
  /** One sentence for docs/configuration.md. */
  about: string;
  /** As it would stand in the environment. Without one the setting is required. */
  fallback?: string;
  /** Also read where `env` is not set. */
  orElse?: string;
  /** Throws what is wrong with a value of the right kind (of what is mounted, with its content), in words that follow the variable's name. */
  check?: (value: never) => unknown;
};

export type SettingTable = Record<string, Setting>;
export type Settings<Table extends SettingTable> = {
  [Name in keyof Table]: Kinds[Table[Name]['kind']];
};

export type Environment = Record<string, string | undefined>;

/** Reads a table from the environment. Throws one error that lists every problem. */
export function readSettings<Table extends SettingTable>(
  table: Table,
  environment: Environment,
  known: readonly SettingTable[] = [table],
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
  problems.push(...unknownVariables(environment, known));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return settings as Settings<Table>;
}

/** The names a setting is read from, in their order. A URL may hold a password: with _FILE behind its name it stands in a mounted file. */
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
export const atLeast = (least: number) => (value: number) => {
  if (value < least) throw new Error(`must be at least ${least}`);
};

/** A check of texts that choose among named alternatives. */
export const oneOf =
  (...names: readonly string[]) =>
  (value: string) => {
    if (!names.includes(value))
      throw new Error(`must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
  };

export class ConfigurationError extends Error {
  constructor(problems: readonly string[]) {
    super(
      `the configuration does not hold:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigurationError';
  }
}

// A misspelt variable would silently leave its default in force.
function unknownVariables(environment: Environment, tables: readonly SettingTable[]): string[] {
  const known = new Set(tables.flatMap((table) => Object.values(table).flatMap(namesOf)));
  return Object.keys(environment)
    .filter((name) => name.startsWith('BAILIWICK_') && !known.has(name))
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
        .map((item) => item.trim())
        .filter((item) => item !== '');
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

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new Error(`names the file ${file}, which cannot be read`);
  }
}

function readDirectory(directory: string): ReadonlyMap<string, string> {
  try {
    // Kubernetes puts its own links, which begin with "..", beside a Secret's keys.
    const names = readdirSync(directory).filter((name) => !name.startsWith('.'));
    return new Map(
      names.map((name) => [path.parse(name).name, readText(path.join(directory, name))]),
    );
  } catch {
    throw new Error(`names the directory ${directory}, which cannot be read`);
  }
}
