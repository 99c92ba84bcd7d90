import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import type { Operation } from './operation.ts';

// Access to a request's fields by proto path, as an operation's options name them.

/** The text of a field, "" if the field or a parent record is absent. */
export function fieldText(operation: Operation, request: Message, path: string): string {
  const value = fieldValue(operation, request, path);
  return typeof value === 'string' ? value : '';
}

/** Whether a boolean field is true. */
export const fieldIsTrue = (operation: Operation, request: Message, path: string): boolean =>
  fieldValue(operation, request, path) === true;

function fieldValue({ method }: Operation, request: Message, path: string): unknown {
  if (path === '') return undefined;
  let node: unknown = request;
  for (const property of propertiesOf(method.input, path)) {
    if (node === undefined) return undefined;
    node = (node as Record<string, unknown>)[property];
  }
  return node;
}

/** The properties that each path names, by message: every call asks for the same few. */
const properties = new WeakMap<DescMessage, Map<string, readonly string[]>>();

function propertiesOf(schema: DescMessage, path: string): readonly string[] {
  const paths = properties.get(schema) ?? new Map<string, readonly string[]>();
  properties.set(schema, paths);
  const names = paths.get(path) ?? findProperties(schema, path);
  paths.set(path, names);
  return names;
}

function findProperties(schema: DescMessage, path: string): string[] {
  let at: DescMessage | undefined = schema;
  return path.split('.').map((name) => {
    const field: DescField | undefined = at?.fields.find((candidate) => candidate.name === name);
    at = field?.fieldKind === 'message' ? field.message : undefined;
    return field?.localName ?? '';
  });
}

/** Sets a text field. Its parent records exist once the request is validated. */
export function setField(operation: Operation, request: Message, path: string, text: string): void {
  let at = reflect(operation.method.input, request);
  const names = path.split('.');
  for (const name of names.slice(0, -1)) {
    const field = at.desc.fields.find((candidate) => candidate.name === name);
    if (field?.fieldKind === 'message') at = at.get(field);
  }
  const field = at.desc.fields.find((candidate) => candidate.name === names.at(-1));
  if (field) at.set(field, text);
}
