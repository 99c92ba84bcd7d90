import { readFileSync } from 'node:fs';

// The parts of gateway/openapi.json that the reference shows.

export type Schema = {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  additionalProperties?: boolean | Schema;
  readOnly?: boolean;
  enum?: Array<string | null>;
  not?: { enum?: string[] };
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
};
export type Media = {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
};
export type Response = { $ref?: string; description: string; content?: Record<string, Media> };
export type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  description?: string;
  example?: string;
};
export type Operation = {
  operationId: string;
  tags: [string];
  description: string;
  security: unknown[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
};
type PathItem = { get?: Operation; post?: Operation; parameters?: Parameter[] };
export type Api = {
  info: { description: string };
  tags: Array<{ name: string; description: string }>;
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
    parameters: Record<string, Parameter>;
  };
};

/** An operation and where it is called. */
export type Call = { path: string; method: string; operation: Operation; parameters: Parameter[] };

export const readApi = (file: string): Api => JSON.parse(readFileSync(file, 'utf8')) as Api;

/** Every operation, in the order of the document. */
export function callsOf(api: Api): Call[] {
  return Object.entries(api.paths).flatMap(([path, item]) =>
    (['get', 'post'] as const).flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [{ path, method: method.toUpperCase(), operation, parameters }];
    }),
  );
}

/** The last part of a reference, such as `Group` in `#/components/schemas/Group`. */
export const nameOf = (reference: string): string => reference.split('/').at(-1) ?? '';

/** The record that a schema refers to, even when the reference stands in `allOf`. */
export const recordOf = ({ $ref, allOf }: Schema): string | undefined => {
  const reference = $ref ?? allOf?.find((part) => part.$ref)?.$ref;
  return reference === undefined ? undefined : nameOf(reference);
};

/** Follows references. A description beside a reference replaces that of the record. */
export function resolveSchema(api: Api, schema: Schema): Schema {
  if (schema.$ref) return resolveSchema(api, api.components.schemas[nameOf(schema.$ref)] ?? {});
  if (!schema.allOf || schema.properties) return schema;
  const { allOf, ...own } = schema;
  const parts = allOf.map((part) => resolveSchema(api, part));
  return { ...Object.assign({}, ...parts), ...own };
}
