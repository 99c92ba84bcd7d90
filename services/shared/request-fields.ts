import type { Operation } from '@bailiwick/proto/operation.ts';
import type { Message } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';

// Fields of a request by their proto path, as an operation's options name them.

/** The text in a field, "" if the field or a record on the way to it is absent. */
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

/** Sets a text field. The records on the way to it are there once the request has been validated. */
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
