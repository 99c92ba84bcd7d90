import type { Operation } from '@bailiwick/proto/operation.ts';
import type { Message } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';

// Access to a request's fields by proto path, as an operation's options name them.

/** The text of a field, "" if the field or a parent record is absent. */
export function fieldText(operation: Operation, request: Message, path: string): string {
  const value = fieldValue(operation, request, path);
  return typeof value === 'string' ? value : '';
}

/** Whether a boolean field is true. */
export const fieldIsTrue = (operation: Operation, request: Message, path: string): boolean =>
  fieldValue(operation, request, path) === true;

function fieldValue(operation: Operation, request: Message, path: string): unknown {
  if (path === '') return undefined;
  let at = reflect(operation.method.input, request);
  const names = path.split('.');
  for (const name of names.slice(0, -1)) {
    const field = at.desc.fields.find((candidate) => candidate.name === name);
    if (field?.fieldKind !== 'message' || !at.isSet(field)) return undefined;
    at = at.get(field);
  }
  const field = at.desc.fields.find((candidate) => candidate.name === names.at(-1));
  return field && at.get(field);
}

/** Sets a text field. Its parent records exist once the request is validated. */
export function setField(
  operation: Operation,
  request: Message,
  path: string,
  value: string,
): void {
  let at = reflect(operation.method.input, request);
  const names = path.split('.');
  for (const name of names.slice(0, -1)) {
    const field = at.desc.fields.find((candidate) => candidate.name === name);
    if (field?.fieldKind === 'message') at = at.get(field);
  }
  const field = at.desc.fields.find((candidate) => candidate.name === names.at(-1));
  if (field) at.set(field, value);
}
