import { server_managed } from '@bailiwick/proto/gen/bailiwick/options/v1/options_pb.ts';
import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf';
import { listField, rfc3339 } from '../json/values.ts';
import { accessLine } from '../openapi/access.ts';
import { comment, isAlwaysThere, isRecord } from '../openapi/schemas.ts';
import type { Operation } from '../operation.ts';

// Generates the help texts of the command-line tool and the fields of its flags. A field of a record is named by its path:
// Group.Path.

type Field = { path: string; kind: string; required: boolean; text: string };

const declarations = `/** How a field is written on a command line. "json" is a record in a list; "texts" and "json" can be repeated; a "secret" is only read from a file or the standard input. */
export type FieldKind = 'text' | 'secret' | 'texts' | 'flag' | 'number' | 'time' | 'bytes' | 'map' | 'json';

export type Field = { readonly path: string; readonly kind: FieldKind; readonly required: boolean; readonly text: string };

export type Help = {
  readonly text: string;
  /** Who may call. */
  readonly access: string;
  /** The kind of response: one record, a page, or one long text. */
  readonly answers: 'record' | 'page' | 'stream';
  /** The field of the request that names its tenant; '' if it has none. */
  readonly tenant: string;
  readonly fields: readonly Field[];
};

/** The format of a time. */
export const rfc3339 = ${rfc3339};

export const operations: Readonly<Record<string, Help>> = `;

export function helpFile(operations: readonly Operation[]): string {
  return `${declarations}{\n${operations.map(entry).join('')}};\n`;
}

/** One line for each field, so that diffs are readable. */
function entry(operation: Operation): string {
  const { fields, ...rest } = helpOf(operation);
  const lines = fields.map((field) => `      ${JSON.stringify(field)},\n`).join('');
  return `  ${operation.name}: {\n    ${JSON.stringify(rest).slice(1, -1)},\n    fields: [${lines === '' ? '' : `\n${lines}    `}],\n  },\n`;
}

function helpOf(operation: Operation) {
  const { method, assigned } = operation;
  const fields = fieldsOf(method.input, {
    prefix: '',
    protoPrefix: '',
    assigned,
    required: true,
  });
  return {
    text: comment(method),
    access: accessLine(operation),
    answers: operation.stream ? 'stream' : isPaged(method.output) ? 'page' : 'record',
    tenant: tenantOf(fields),
    fields,
  };
}

/** Every request with a tenant, so that one default applies to all of them. */
const tenantOf = (fields: readonly Field[]): string =>
  fields.find(({ path }) => path === 'Tenant' || path.endsWith('.Tenant'))?.path ?? '';

const isPaged = ({ fields }: DescMessage) => fields.some((field) => field.jsonName === 'Page');

type Place = {
  prefix: string;
  protoPrefix: string;
  assigned: readonly string[];
  required: boolean;
};

function fieldsOf(message: DescMessage, place: Place): Field[] {
  return message.fields.flatMap((field) => {
    const protoPath = `${place.protoPrefix}${field.name}`;
    if (place.assigned.includes(protoPath) || getOption(field, server_managed)) return [];
    const path = `${place.prefix}${field.jsonName}`;
    const required =
      place.required && isAlwaysThere(field, place.prefix === '' ? 'request' : 'record');
    if (isRecord(field))
      return fieldsOf(field.message, {
        ...place,
        prefix: `${path}.`,
        protoPrefix: `${protoPath}.`,
        required,
      });
    return [{ path, kind: kindOf(field), required, text: comment(field) }];
  });
}

function kindOf(field: DescField): string {
  if (field.fieldKind === 'list') return field.listKind === 'message' ? 'json' : 'texts';
  const list = field.fieldKind === 'message' ? listField(field.message) : undefined;
  if (list) return kindOf(list);
  if (field.fieldKind === 'message') return wellKnown[field.message.typeName] ?? 'json';
  if (field.fieldKind !== 'scalar')
    throw new Error(`${field.toString()}: ${field.fieldKind} fields are not used on the wire`);
  if (field.proto.options?.debugRedact) return 'secret';
  return scalars[field.scalar] ?? 'text';
}

const wellKnown: Readonly<Record<string, string>> = {
  'google.protobuf.Timestamp': 'time',
  'bailiwick.common.v1.StringMap': 'map',
};

const scalars: Partial<Record<ScalarType, string>> = {
  [ScalarType.BOOL]: 'flag',
  [ScalarType.INT32]: 'number',
  [ScalarType.BYTES]: 'bytes',
};
