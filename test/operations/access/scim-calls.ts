import assert from 'node:assert/strict';
import { bodyOf } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { newName } from '../../support/domains.ts';
import type { Stack, Topology } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const enterpriseSchema = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const membershipSchema = 'urn:bailiwick:params:scim:schemas:extension:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';

export type Resource = {
  id: string;
  externalId?: string;
  userName: string;
  displayName: string;
  active: boolean;
  name?: Record<string, string>;
  emails?: Array<{ value: string; type?: string; primary?: boolean }>;
  groups?: Array<{ value: string; display: string }>;
  members?: Array<{ value: string; display: string }>;
  meta: { resourceType: string; version: string; location: string; lastModified: string };
  [name: string]: unknown;
};

export type List = { totalResults: number; startIndex: number; Resources: Resource[] };

export type ScimAnswer = { status: number; headers: Headers; body: unknown };

/** A tenant with a verified domain, and the key of its directory's bot. */
export async function newDirectory(stack: Stack, owner: { id: string; token: string }) {
  const Tenant = await tenantFor(stack, owner.id);
  const domain = newName();
  await rowsOf(
    stack,
    `insert into sso.domain (tenant, id, name, status, capture, created_at, updated_at) values ($1, 'dom_1', $2, 'verified', 'off', now(), now())`,
    [Tenant, domain],
  );
  const bot = await createBot(stack, Tenant, owner.token, { Name: 'directory' });
  const Grant = { Tenant, Bot: bot.ID, Role: 'scim-directory' };
  bodyOf(await stack.call('BotGrants_Add', { Grant }, owner.token));
  const { Secret: key } = await createKey(stack, bot, owner.token);
  const base = `${stack.url}/scim/v2/${Tenant}`;

  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    callAs(key, method, path, body, headers);

  async function callAs(
    secret: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ScimAnswer> {
    const response = await fetch(`${base}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  async function get<T>(method: string, path: string, body?: unknown, status = 200): Promise<T> {
    const answer = await call(method, path, body);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return answer.body as T;
  }

  const address = (name: string) => `${name}@${domain}`;
  const create = (name: string, more: object = {}) =>
    get<Resource>('POST', 'Users', personOf(address(name), more), 201);
  const read = (id: string, query = '') => get<Resource>('GET', `Users/${id}${query}`);
  const find = (filter: string, endpoint = 'Users') =>
    get<List>('GET', `${endpoint}?filter=${encodeURIComponent(filter)}`);
  const patch = (id: string, ...Operations: object[]) =>
    get<Resource>('PATCH', `Users/${id}`, patchOf(...Operations));

  return { Tenant, domain, bot, key, base, call, callAs, get, address, create, read, find, patch };
}

export type Directory = Awaited<ReturnType<typeof newDirectory>>;

export const personOf = (userName: string, more: object = {}) => ({
  schemas: [userSchema],
  userName,
  name: { givenName: 'Test', familyName: 'User' },
  active: true,
  ...more,
});

export const patchOf = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});

export const statusOf = (resource: Resource) =>
  (resource[membershipSchema] as { status: string; userId?: string }).status;
export const accountOf = (resource: Resource) =>
  (resource[membershipSchema] as { status: string; userId?: string }).userId ?? '';

/** Asserts an error in the form of the protocol. */
export function assertScimError(
  { status, body, headers }: ScimAnswer,
  expected: number,
  scimType?: string,
  detail?: RegExp,
): void {
  assert.equal(status, expected, JSON.stringify(body));
  const error = body as Record<string, unknown>;
  assert.deepEqual(error['schemas'], ['urn:ietf:params:scim:api:messages:2.0:Error']);
  assert.equal(error['status'], String(expected));
  assert.equal(error['scimType'], scimType, JSON.stringify(body));
  assert.match(headers.get('content-type') ?? '', /^application\/scim\+json/);
  if (detail) assert.match(String(error['detail']), detail);
}

export type Scim = Awaited<ReturnType<typeof startScim>>;

/** The stack, an owner, and a directory of theirs. */
export async function startScim(topology: Topology) {
  const stack = await sharedStack(topology);
  const owner = await signUp(stack);
  const directory = await newDirectory(stack, owner);
  return { stack, owner, ...directory, stop: () => stack.stop() };
}

/** The rows of a tenant that SCIM writes, and their accounts. `t` is the row. */
const writtenRows = [
  'access.scim_user t where t.tenant = $1',
  'access.scim_member t where t.tenant = $1',
  'access.group_entry t where t.tenant = $1',
  'access.group_member t where t.tenant = $1',
  'access.tenant_member t where t.tenant = $1',
  'access.grant_entry t where t.tenant = $1',
  'access.invitation t where t.tenant = $1',
  'identity.user_account t where t.id in (select user_id from access.scim_user where tenant = $1)',
];

/** The traces of a write: the rows of access's outbox, and the versions of the rows of SCIM. */
export async function writesOf(
  stack: Stack,
  tenant: string,
): Promise<Array<Record<string, unknown>>> {
  const version = `md5(string_agg(t.xmin::text || t::text, ',' order by t::text))`;
  const versions = writtenRows.map((rows, n) => `(select ${version} from ${rows}) as rows_${n}`);
  const changes = '(select count(*)::int from access.outbox where for_tenant = $1) as changes';
  return rowsOf(stack, `select ${[changes, ...versions].join(', ')}`, [tenant]);
}
