import { UsageError } from './failure.ts';
import type { Field } from './gen/help.ts';
import { isLiteral, readSecret, readSource } from './input.ts';

// Builds the request of an operation from --data and from flags with the names of fields: --Group.Path eng/backend.

export type Values = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;
type Request = Record<string, unknown>;

export const isRepeated = ({ kind }: Field): boolean =>
  kind === 'texts' || kind === 'map' || kind === 'json';

/** The options of parseArgs for the flags. */
export const flagsOf = (fields: readonly Field[]) =>
  Object.fromEntries(
    fields.map((field) => [field.path, { type: 'string', multiple: isRepeated(field) } as const]),
  );

/** Reads the request. Flags override --data. */
export async function readRequest(
  fields: readonly Field[],
  values: Values,
  json: string | undefined,
): Promise<Request> {
  const request = json === undefined ? {} : await readData(fields, json);
  for (const field of fields) {
    const option = values[field.path];
    if (typeof option === 'string') put(request, field.path, await readOne(field, option));
    else if (Array.isArray(option))
      put(request, field.path, await readMany(field, option as readonly string[]));
  }
  return request;
}

async function readData(fields: readonly Field[], source: string): Promise<Request> {
  const json = readJson(await readSource(source, '--data'), '--data');
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new UsageError('--data must be a JSON object');
  const [secret] = isLiteral(source)
    ? fields.filter(({ kind, path }) => kind === 'secret' && valueAt(json, path))
    : [];
  if (secret !== undefined)
    throw new UsageError(
      `--data contains a secret, ${secret.path}: use @file, or - for the standard input`,
    );
  return json as Request;
}

async function readOne(field: Field, text: string): Promise<unknown> {
  const flag = `--${field.path}`;
  if (field.kind === 'secret') return readSecret(text, flag);
  if (field.kind === 'number') {
    if (!/^-?\d+$/.test(text)) throw new UsageError(`${flag} must be a whole number`);
    return Number(text);
  }
  if (field.kind === 'flag') {
    if (text !== 'true' && text !== 'false') throw new UsageError(`${flag} must be true or false`);
    return text === 'true';
  }
  return text;
}

async function readMany({ path, kind }: Field, texts: readonly string[]): Promise<unknown> {
  const flag = `--${path}`;
  // One empty text means an empty list.
  const filled = texts.length === 1 && texts[0] === '' ? [] : texts;
  if (kind === 'json')
    return Promise.all(filled.map(async (text) => readJson(await readSource(text, flag), flag)));
  if (kind === 'texts') return filled;
  return Object.fromEntries(
    filled.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new UsageError(`${flag} must be key=value`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

function readJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message could repeat a secret.
    throw new UsageError(`${what} is not JSON`);
  }
}

const valueAt = (json: unknown, path: string) =>
  path.split('.').reduce((inner, key) => (inner as Request | null | undefined)?.[key], json);

function put(request: Request, path: string, value: unknown): void {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    request[first] = value;
    return;
  }
  const inner = request[first];
  const record =
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as Request) : {};
  request[first] = record;
  put(record, rest.join('.'), value);
}
