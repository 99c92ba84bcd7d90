import assert from 'node:assert/strict';
import type { Operation } from '@bailiwick/contract';
import { requestExample } from '@bailiwick/contract/examples';
import { inDays } from '../support/bots.ts';
import { noEvent } from './makers.ts';
import type { Place } from './place.ts';

// Builds a valid request of any operation from its descriptor's example, about the records of a
// place.

export type Json = string | number | boolean | null | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** Their field `Tenant` takes an ID or a slug and limits no rights, so every text is valid. */
const bySlug = ['Account_IssueCode', 'Tenants_GetBranding'];

/** The JSON path of the field that names an operation's tenant; undefined without such a field. */
export function tenantPath(operation: Operation): readonly string[] | undefined {
  if (bySlug.includes(operation.name)) return undefined;
  const paths = operation.allow.flatMap((rule) => {
    if (rule.kind === 'tenant') return [rule.field];
    return rule.kind === 'platform' && rule.without !== '' ? [rule.without] : [];
  });
  const [path] = paths;
  if (path !== undefined) return jsonPath(operation, path);
  return operation.method.input.fields.some(
    ({ jsonName, fieldKind }) => jsonName === 'Tenant' && fieldKind === 'scalar',
  )
    ? ['Tenant']
    : undefined;
}

/** Translates a proto path to the keys of the request. */
export function jsonPath({ method, name }: Operation, protoPath: string): string[] {
  let message: Operation['method']['input'] | undefined = method.input;
  return protoPath.split('.').map((part) => {
    const field = message?.fields.find((candidate) => candidate.name === part);
    assert.ok(field, `${name} has no field ${protoPath}`);
    message = field.fieldKind === 'message' ? field.message : undefined;
    return field.jsonName;
  });
}

/** The value at a path of a request; '' if absent. */
export function valueAt(request: JsonObject, path: readonly string[]): string {
  let value: Json | undefined = request;
  for (const key of path)
    value =
      typeof value === 'object' && value !== null && !Array.isArray(value) ? value[key] : undefined;
  return typeof value === 'string' ? value : '';
}

export function requestFor(operation: Operation, place: Place): JsonObject {
  const request = substitute(
    requestExample(operation) as JsonObject,
    place,
    operation.name,
  ) as JsonObject;
  const path = tenantPath(operation);
  const record = request[path?.[0] ?? ''];
  const holder = path?.length === 2 && isRecord(record) ? record : request;
  // An update names its tenant by the record's own ID, which `about` has filled in.
  if (path?.at(-1) === 'Tenant') holder['Tenant'] = place.tenant;
  if (platformFlagOperations.includes(operation.name)) holder['Platform'] = place.name === 'absent';
  return request;
}

export const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Operations whose request has a Platform flag: without a tenant they mean the platform. */
export const platformFlagOperations: readonly string[] = [
  'Grants_Add',
  'Grants_Remove',
  'Grants_ListByTenant',
  'BotGrants_Add',
  'BotGrants_Remove',
  'BotGrants_ListByTenant',
  'Roles_ListPermissions',
  'Access_ListPermissions',
];

/** Values for the keys whose example value does not fit here. */
function exampleValues({ email, path, role }: Place): JsonObject {
  return {
    Email: email,
    Path: path,
    Group: path,
    Groups: [path],
    Slug: role,
    Role: role,
    Roles: [role],
    ExpiresAt: inDays(30),
    Permissions: ['iam.groups.read'],
    AllowedIPs: [],
    EventTypes: [noEvent],
    Filter: {},
  };
}

function substitute(value: Json, place: Place, operation: string, key = ''): Json {
  const values = exampleValues(place);
  // Group and Role are also the names of whole records.
  const replacement = values[key];
  if (
    replacement !== undefined &&
    typeof replacement === typeof value &&
    Array.isArray(replacement) === Array.isArray(value)
  )
    return replacement;
  if (Array.isArray(value)) return value.map((item) => substitute(item, place, operation));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        substitute(inner, place, operation, name),
      ]),
    );
  }
  const prefix =
    typeof value === 'string' ? /^([a-z]{3})_[0-9a-z]{26}$/.exec(value)?.[1] : undefined;
  if (prefix === undefined) return value;
  const id = place.ids[prefix];
  assert.ok(
    id !== undefined,
    `${operation} asks for a record with the prefix ${prefix}: add a maker to test/matrix/makers.ts and its kind to makePlace in test/matrix/world.ts`,
  );
  return id;
}
