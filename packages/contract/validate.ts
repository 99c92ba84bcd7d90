import {
  distinct,
  fieldAtStart,
  fieldPath,
  isUnreadable,
  itemPath,
  mapPath,
  type Problem,
  problem,
} from '@bailiwick/errors';
import { create, type DescMessage, type Message, type MessageShape } from '@bufbuild/protobuf';
import { createValidator, type Violation } from '@bufbuild/protovalidate';
import { isTimestamp, isValueMap, listField } from './json/values.ts';
import { mailDomainProblems } from './mail-domain.ts';
import { matches } from './patterns.ts';
import { validationRegistry } from './registry.ts';
import { paramsIn, reword, ruleOf } from './violations.ts';

const validator = createValidator({ registry: validationRegistry, regexMatch: matches });

/** Lists and maps that are plain JSON: their inner field is not a key in JSON. */
const isPlain = (message: DescMessage) => listField(message) !== undefined || isValueMap(message);

/** Messages whose absence has its own meaning: they are not replaced by empty ones. */
const isDistinctWhenAbsent = (message: DescMessage) => isTimestamp(message) || isPlain(message);

type Blank = { readonly name: string; readonly schema: DescMessage };

const blanksOf = new WeakMap<DescMessage, readonly Blank[]>();

/**
 * Validates a request. Returns one problem for each failed rule of the proto files, without duplicates,
 * in the order of the fields; empty if the request is valid.
 *
 * First sets absent records of the message to empty ones: `{}` then fails the same rules as
 * `{"Endpoint":{}}`, and handlers can rely on the record.
 *
 * `unreadable` are JSON paths that were rejected already: a value of a wrong type is not also reported
 * as missing.
 */
export function findProblems<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  unreadable: ReadonlySet<string> = new Set(),
): Problem[] {
  fillBlanks(schema, message);
  const failures = [...ruleProblems(schema, message), ...mailDomainProblems(schema, message)];
  return distinct(failures.filter(({ field }) => !isUnreadable(field, unreadable)));
}

/** The messages of the problems. */
export const validate = <Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): string[] => findProblems(schema, message).map(({ text }) => text);

const valid = new WeakSet<Message>();

/** Notes that a request has passed `validate`, for the same process, and does not change any more. */
export const noteValid = (message: Message): void => void valid.add(message);

/** Whether this very message has been noted as valid: a gateway shares it with a service in its process. */
export const isNotedValid = (message: Message): boolean => valid.has(message);

function ruleProblems<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): Problem[] {
  const result = validator.validate(schema, message);
  if (result.kind === 'valid') return [];
  if (result.kind === 'invalid') return describe(result.violations);
  if (result.error.name === 'CompilationError') throw result.error;
  // A rule could not be evaluated on this data: reject the request, since it may be invalid.
  return [problem('', 'custom', 'the request could not be validated')];
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

function describe(violations: readonly Violation[]): Problem[] {
  // protovalidate checks the rules of the message after those of its fields. Readers expect them first.
  const ordered = [
    ...violations.filter(isAboutTheWhole),
    ...violations.filter((violation) => !isAboutTheWhole(violation)),
  ];
  return ordered.map((violation) => {
    const text = textOf(violation);
    const { rule, pattern, field } = ruleOf(violation.ruleId);
    // The text of a message rule begins with the path of its field.
    const path = isAboutTheWhole(violation)
      ? (field ?? fieldAtStart(text))
      : jsonPath(violation.field);
    return { text, field: path, rule, params: paramsIn(text, pattern) };
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
