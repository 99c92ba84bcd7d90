import { create, type DescMessage, type Message, type MessageShape } from '@bufbuild/protobuf';
import { createValidator, type Violation } from '@bufbuild/protovalidate';
import { fieldPath, isUnreadable, itemPath, mapPath, pathOf } from './json/paths.ts';
import { isTimestamp, isValueMap, listField } from './json/values.ts';
import { mailDomainProblems } from './mail-domain.ts';
import { matches } from './patterns.ts';
import { validationRegistry } from './registry.ts';

const validator = createValidator({ registry: validationRegistry, regexMatch: matches });

/** Lists and maps that are plain JSON: their inner field is not a key in JSON. */
const isPlain = (message: DescMessage) => listField(message) !== undefined || isValueMap(message);

/** Messages whose absence has its own meaning: they are not replaced by empty ones. */
const isDistinctWhenAbsent = (message: DescMessage) => isTimestamp(message) || isPlain(message);

type Blank = { readonly name: string; readonly schema: DescMessage };

const blanksOf = new WeakMap<DescMessage, readonly Blank[]>();

/**
 * Validates a request. Returns one message for each failed rule of the proto files, without duplicates,
 * in the order of the fields; empty if the request is valid.
 *
 * First sets absent records of the message to empty ones: `{}` then fails the same rules as
 * `{"Endpoint":{}}`, and handlers can rely on the record.
 *
 * `unreadable` are JSON paths that were rejected already: a value of a wrong type is not also reported
 * as missing.
 */
export function validate<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  unreadable: ReadonlySet<string> = new Set(),
): string[] {
  fillBlanks(schema, message);
  const failures = [
    ...ruleFailures(schema, message),
    ...mailDomainProblems(schema, message).map(aboutItsPath),
  ];
  return [
    ...new Set(
      failures.filter(({ path }) => !isUnreadable(path, unreadable)).map(({ text }) => text),
    ),
  ];
}

const valid = new WeakSet<Message>();

/** Notes that a request has passed `validate`, for the same process, and does not change any more. */
export const noteValid = (message: Message): void => void valid.add(message);

/** Whether this very message has been noted as valid: a gateway shares it with a service in its process. */
export const isNotedValid = (message: Message): boolean => valid.has(message);

/** A failed rule, and the JSON path of its value; '' = the whole request. */
type Failure = { path: string; text: string };

const aboutItsPath = (text: string): Failure => ({ path: pathOf(text), text });

function ruleFailures<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): Failure[] {
  const result = validator.validate(schema, message);
  if (result.kind === 'valid') return [];
  if (result.kind === 'invalid') return describe(result.violations);
  if (result.error.name === 'CompilationError') throw result.error;
  // A rule could not be evaluated on this data: reject the request, since it may be invalid.
  return [{ path: '', text: 'the request could not be validated' }];
}

function fillBlanks(schema: DescMessage, message: Message): void {
  let blanks = blanksOf.get(schema);
  if (blanks === undefined) {
    blanks = schema.fields.flatMap((field) =>
      field.fieldKind === 'message' &&
      !field.proto.proto3Optional &&
      !isDistinctWhenAbsent(field.message)
        ? [{ name: field.localName, schema: field.message }]
        : [],
    );
    blanksOf.set(schema, blanks);
  }
  const fields = message as unknown as Record<string, unknown>;
  for (const blank of blanks) fields[blank.name] ??= create(blank.schema);
}

function describe(violations: readonly Violation[]): Failure[] {
  // protovalidate checks the rules of the message after those of its fields. Readers expect them first.
  const ordered = [
    ...violations.filter(isAboutTheWhole),
    ...violations.filter((violation) => !isAboutTheWhole(violation)),
  ];
  return ordered.map((violation) => {
    const text = textOf(violation);
    // The text of a message rule begins with the path of its field.
    return isAboutTheWhole(violation)
      ? aboutItsPath(text)
      : { path: jsonPath(violation.field), text };
  });
}

function isAboutTheWhole(violation: Violation): boolean {
  return violation.field.length === 0;
}

function textOf(violation: Violation): string {
  if (violation.ruleId.startsWith('documented.')) return violation.message;
  const text = reword(violation.message);
  const path = jsonPath(violation.field);
  if (violation.forKey) return `${path} key ${text}`;
  return path === '' ? text : `${path} ${text}`;
}

/** The JSON path as the client knows it: `Group.Metadata["k"]`, `Roles[2]`. */
function jsonPath(path: Violation['field']): string {
  let text = '';
  for (const part of path) {
    if (part.kind === 'list_sub') text = itemPath(text, part.index);
    else if (part.kind === 'map_sub') text = mapPath(text, String(part.key));
    else if (part.kind === 'field' && !isPlain(part.parent)) text = fieldPath(text, part.jsonName);
  }
  return text;
}

/** Replaces protovalidate's texts that do not form a sentence after the path. */
const rewordings: readonly (readonly [RegExp, string])[] = [
  [/^value is required$/, 'is required'],
  [/^must be at least 1 characters$/, 'must not be empty'],
  [
    /^must be greater than or equal to (\S+) and less than or equal to (\S+)$/,
    'must be between $1 and $2',
  ],
  [/^must be greater than or equal to (\S+)$/, 'must be at least $1'],
  [/^must be less than or equal to (\S+)$/, 'must be at most $1'],
  [/^must contain no more than (\d+) item\(s\)$/, 'must have at most $1 items'],
  [/^must contain at least 1 item\(s\)$/, 'is required'],
  [
    /^must be at most (\d+) entries$|^map must be at most (\d+) entries$/,
    'must have at most $1$2 keys',
  ],
  [/^must be in list \[(.*)\]$/, 'must be one of $1'],
];

function reword(message: string): string {
  for (const [pattern, replacement] of rewordings) {
    if (pattern.test(message)) return message.replace(pattern, replacement);
  }
  return message;
}
