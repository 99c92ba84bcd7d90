import { includes, isPlatformOnly } from '@bailiwick/contract';
import type { Call, Pager } from '@bailiwick/pipeline';
import type {
  AccessListSubjectsRequest,
  AccessListSubjectsResponseSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/access_pb.ts';
import type { Run } from '@bailiwick/store';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Directory, isBotId } from '../../directory.ts';
import { platformRoles, tenantRoles } from '../../permissions/builtin.ts';
import { findActiveTenants, findHolders, findOwnRoles, type Holder } from './queries.ts';

// The search for the subjects of a permission: the same decision as Access_Check, the other way
// round. test/model/evaluators.test.ts compares the two.

type Deps = { run: Run; directory: Directory; pager: Pager };

const prefixes: Readonly<Record<string, string>> = { user: 'usr_', bot: 'bot_' };

/** Lists a page of the users and bots that hold a permission in a tenant. */
export async function listSubjects(
  { run, directory, pager }: Deps,
  { tenant, permission, resource, type, page }: AccessListSubjectsRequest,
  call: Call,
): Promise<MessageInitShape<typeof AccessListSubjectsResponseSchema>> {
  const binding = [call.operation.name, tenant, permission, resource, type];
  const query = pager.read(page, binding);
  if (isPlatformOnly(permission)) return { page: {} };
  const holderQuery = {
    tenant,
    resource,
    roles: await rolesGiving(run, tenant, permission),
    prefix: prefixes[type] ?? '',
  };
  const { holders, last } = await findHolders(run, holderQuery, query);
  const { items, nextCursor } = pager.cut(holders, query, binding, ({ id }) => id, last);
  const closed = await closedBots({ run, directory }, items, call);
  return {
    page: {
      items: items
        .filter(({ id }) => !closed.has(id))
        .map(({ id }) => ({ id, type: isBotId(id) ? 'bot' : 'user' })),
      nextCursor,
    },
  };
}

/** The slugs of the roles that give a permission. A tenant's own role hides a built-in one. */
async function rolesGiving(run: Run, tenant: string, permission: string) {
  const slugsOf = (roles: ReadonlyArray<{ slug: string; permissions: readonly string[] }>) =>
    roles.filter((role) => includes(role.permissions, permission)).map(({ slug }) => slug);
  const own = await findOwnRoles(run, tenant);
  const builtIn = tenantRoles.filter((role) => own.every(({ slug }) => slug !== role.slug));
  return {
    inTenant: slugsOf([...own, ...builtIn]),
    onPlatform: slugsOf([...tenantRoles, ...platformRoles]),
  };
}

/** Bots of tenants that are not active: they have no rights anywhere. */
async function closedBots(
  { run, directory }: Pick<Deps, 'run' | 'directory'>,
  holders: readonly Holder[],
  call: Call,
): Promise<ReadonlySet<string>> {
  // A bot has grants in its own tenant and on the platform only.
  const ids = holders
    .filter(({ id, onPlatformOnly }) => onPlatformOnly && isBotId(id))
    .map(({ id }) => id);
  if (ids.length === 0) return new Set();
  const { bots } = await directory.getBots({ tenant: '', ids }, call, { signal: call.signal });
  const active = await findActiveTenants(run, [...new Set(bots.map((bot) => bot.tenant))]);
  const open = new Set(bots.filter((bot) => active.has(bot.tenant)).map(({ id }) => id));
  return new Set(ids.filter((id) => !open.has(id)));
}
