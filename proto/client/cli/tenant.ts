import process from 'node:process';
import type { Client } from '../client.ts';
import { PermissionDeniedError } from '../errors.ts';
import { type Command, textOf } from './command.ts';
import { type Connection, connect, urlOf } from './connect.ts';
import { exitCodes, Refusal, UsageError } from './failure.ts';
import type { Field, Help } from './gen/help.ts';
import { print, say } from './output.ts';
import { keepTenant, readSessions } from './sessions.ts';

// The tenant that a command means: by its ID or its slug, or the default tenant of `bailiwick use`.

type Request = Record<string, unknown>;

export const use: Command = {
  takes: '[ID|SLUG]',
  summary:
    'Makes a tenant the default of all commands at this address. Without an argument it prints the default.',
  options: { clear: { type: 'boolean' } },
  help: [['--clear', 'forget the default']],
  async run({ values, rest: [name, ...more] }) {
    const clear = values['clear'] === true;
    if (more.length > 0 || (clear && name !== undefined))
      throw new UsageError('use takes one tenant, or --clear');
    const connection: Connection = values;
    const url = urlOf(connection);
    if (clear) {
      keepTenant(url, undefined);
      say(`${url} has no default tenant any more`);
    } else if (name === undefined) {
      const tenant = defaultTenant(url);
      if (tenant === undefined)
        throw new Refusal(`${url} has no default tenant: set one with bailiwick use SLUG`);
      print(tenant);
    } else {
      const tenant = await findTenant(await connect(connection), name);
      keepTenant(url, tenant);
      say(`${name} is the default tenant at ${url}`);
    }
    return exitCodes.ok;
  },
};

/** The ID or slug that commands mean if they name no tenant: BAILIWICK_TENANT, or the one that `use` kept for the address. */
export const defaultTenant = (url: string): string | undefined =>
  process.env['BAILIWICK_TENANT']?.trim() || readSessions().Tenants[url];

/** @throws Refusal if the caller belongs to no tenant with that slug, or is a bot, whose tenants have no list. */
export async function findTenant(client: Client, name: string): Promise<string> {
  if (name.startsWith('tnt_')) return name;
  try {
    for await (const { Slug, ID } of client.list('Tenants_ListMine', {}))
      if (Slug === name) return ID;
  } catch (error) {
    if (error instanceof PermissionDeniedError)
      throw new Refusal(
        `a bot names its tenant by ID: ${name} is a slug, and only users can list their tenants`,
      );
    throw error;
  }
  throw new Refusal(`you belong to no tenant ${name}`);
}

/** Whether a field names the tenant that a request is about. */
export const isTenant = ({ path }: Field): boolean => path === 'Tenant' || path.endsWith('.Tenant');

/**
 * Fills in the tenant of an operation's request: the ID for a slug, and the default tenant where one must be named and none is. An
 * empty text that was given stays empty, and so does the tenant of a request for the platform.
 */
export async function fillTenant(
  client: Client,
  request: Request,
  { fields, tenant }: Help,
  url: string,
): Promise<void> {
  for (const { path } of fields.filter(isTenant)) {
    const record = recordOf(request, path);
    if (record === undefined) continue;
    const given = record['Tenant'];
    const isMissing =
      path === tenant &&
      given === undefined &&
      request['Platform'] !== true &&
      record['Platform'] !== true;
    const name = isMissing ? defaultTenant(url) : textOf(given as string | undefined);
    if (name === undefined || name === '') continue;
    if (isMissing) say(`bailiwick: in the default tenant ${name}`);
    record['Tenant'] = await findTenant(client, name);
  }
}

/** The object that holds the field, made where the request has none. Undefined where it is no object: the service says so. */
function recordOf(request: Request, path: string): Request | undefined {
  const [outer] = path.split('.');
  if (outer === undefined || path === 'Tenant') return request;
  const inner = (request[outer] ??= {});
  return typeof inner === 'object' && !Array.isArray(inner) ? (inner as Request) : undefined;
}
