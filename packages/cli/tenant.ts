import process from 'node:process';
import type { Client } from '../client/client.ts';
import { PermissionDeniedError } from '../client/errors.ts';
import { type Command, textOf } from './command.ts';
import { type Connection, connect, urlOf } from './connect.ts';
import { exitCodes, Refusal, UsageError } from './failure.ts';
import type { Field, Help } from './gen/help.ts';
import { print, say } from './output.ts';
import { keepTenant, readSessions } from './sessions.ts';

// Resolves the tenant of a command: an ID or a slug, or the default tenant of `bailiwick use`.

type Request = Record<string, unknown>;

export const use: Command = {
  takes: '[ID|SLUG]',
  summary:
    'Sets the default tenant of all commands at this address. Without an argument it prints the default.',
  options: { clear: { type: 'boolean' } },
  help: [['--clear', 'remove the default']],
  async run({ values, rest: [name, ...more] }) {
    const clear = values['clear'] === true;
    if (more.length > 0 || (clear && name !== undefined))
      throw new UsageError('use takes one tenant, or --clear');
    const connection: Connection = values;
    const url = urlOf(connection);
    if (clear) {
      await keepTenant(url, undefined);
      say(`${url} no longer has a default tenant`);
    } else if (name === undefined) {
      const tenant = defaultTenant(url);
      if (tenant === undefined)
        throw new Refusal(`${url} has no default tenant: set one with bailiwick use SLUG`);
      print(tenant);
    } else {
      const tenant = await findTenant(await connect(connection), name);
      await keepTenant(url, tenant);
      say(`${name} is the default tenant at ${url}`);
    }
    return exitCodes.ok;
  },
};

/** The default tenant, as an ID or slug: BAILIWICK_TENANT, or the one that `use` stored for the address. */
export const defaultTenant = (url: string): string | undefined =>
  process.env['BAILIWICK_TENANT']?.trim() || readSessions().Tenants[url];

/** @throws Refusal if the caller belongs to no tenant with that slug, and may not list all tenants */
export async function findTenant(client: Client, name: string): Promise<string> {
  if (name.startsWith('tnt_')) return name;
  const mine = await idOf(name, client.list('Tenants_ListMine', {}));
  if (mine.id !== undefined) return mine.id;
  // Operators and the platform key name tenants that they do not belong to.
  const { id } = await idOf(name, client.list('Tenants_List', { Query: name }));
  if (id !== undefined) return id;
  throw new Refusal(
    mine.isDenied
      ? `a bot names its tenant by ID: ${name} is a slug, and only users and operators can list tenants`
      : `you do not belong to a tenant ${name}`,
  );
}

type TenantMatch = { id?: string; isDenied: boolean };

/** The ID of the tenant with a slug, among those of a list that the caller may be denied. */
async function idOf(
  name: string,
  tenants: AsyncIterable<{ Slug: string; ID: string }>,
): Promise<TenantMatch> {
  try {
    for await (const { Slug, ID } of tenants) if (Slug === name) return { id: ID, isDenied: false };
    return { isDenied: false };
  } catch (error) {
    if (error instanceof PermissionDeniedError) return { isDenied: true };
    throw error;
  }
}

/** Whether a field names the request's tenant. */
export const isTenant = ({ path }: Field): boolean => path === 'Tenant' || path.endsWith('.Tenant');

/**
 * Sets the tenant of an operation's request: replaces a slug by the ID, and a missing tenant by the default tenant. An explicit
 * empty text stays empty, and so does the tenant of a request for the platform. Returns the request's tenant.
 */
export async function fillTenant(
  client: Client,
  request: Request,
  { fields, tenant: field }: Help,
  url: string,
): Promise<string | undefined> {
  let tenant: string | undefined;
  for (const { path } of fields.filter(isTenant)) {
    const record = recordOf(request, path);
    if (record === undefined) continue;
    const reference = record['Tenant'];
    const isMissing =
      path === field &&
      reference === undefined &&
      request['Platform'] !== true &&
      record['Platform'] !== true;
    const name = isMissing ? defaultTenant(url) : textOf(reference as string | undefined);
    if (name === undefined || name === '') continue;
    if (isMissing) say(`bailiwick: in the default tenant ${name}`);
    tenant = await findTenant(client, name);
    record['Tenant'] = tenant;
  }
  return tenant;
}

/** Returns the object with the field, creating it if it is absent. Undefined if it is not an object: the service reports that. */
function recordOf(request: Request, path: string): Request | undefined {
  const [outer] = path.split('.');
  if (outer === undefined || path === 'Tenant') return request;
  const inner = (request[outer] ??= {});
  return typeof inner === 'object' && !Array.isArray(inner) ? (inner as Request) : undefined;
}
