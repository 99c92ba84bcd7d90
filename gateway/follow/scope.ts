import type { Loaded } from '@bailiwick/broker';
import { hasPermission } from '@bailiwick/contract';
import { denied } from '@bailiwick/errors';
import { type Authenticator, credentialName } from '../session/authenticate.ts';

// The tenants about which a follower may ask.

const permission = 'iam.rights.follow';

export type Scope = {
  credentialId: string;
  /** The tenant of the bot. */
  ownTenant: string;
  /** The tenants that it follows; undefined = all. */
  tenants: readonly string[] | undefined;
  /** Whether the credential may be used from an address. */
  serves: (ip: string) => boolean;
  noteUse: () => void;
};

export const covers = ({ tenants }: Scope, tenant: string): boolean =>
  tenants === undefined || tenants.includes(tenant);

/** The tenants as text; '*' = all. */
export const listOf = (tenants: readonly string[] | undefined): string => tenants?.join(' ') ?? '*';

/** The name of the scope of a credential in a cache. */
export const nameOfScope = (credential: string, tenants?: readonly string[]): string =>
  `follower ${credentialName(credential)} ${listOf(tenants)}`;

type Load = (
  token: string,
  ip: string,
  tenants: readonly string[] | undefined,
) => Promise<Loaded<Scope>>;

/**
 * Loads the scope of a bot's credential. `tenants`: those that it asks for; undefined = all that it may
 * follow. The function throws unauthenticated, and permission_denied if it may not follow one of them.
 */
export function createScopes({
  principalLoader,
  loadRights,
}: Pick<Authenticator, 'principalLoader' | 'loadRights'>): Load {
  return async (token, ip, tenants) => {
    const loaded = await principalLoader(token, ip)();
    const { principal, serves, noteUse } = loaded.value;
    // A follower is a process of an application. A session could be one that was stolen from a browser.
    if (principal.type !== 'bot') throw denied('only a bot may follow');
    const own = principal.tenant;
    const rights = await Promise.all(
      (tenants ?? [own]).map(async (tenant) => ({
        tenant,
        ...(await loadRights(principal, tenant)),
      })),
    );
    const isEverywhere = rights.some(({ value }) =>
      hasPermission(value.effective.platformPermissions, permission),
    );
    const lacking = rights.find(
      ({ tenant, value }) =>
        value.effective.tenant !== tenant ||
        !hasPermission(value.effective.permissions, permission),
    );
    if (lacking && (tenants !== undefined || !isEverywhere))
      throw denied(`${permission} is required in ${lacking.tenant}`);
    return {
      value: {
        credentialId: principal.credentialId,
        ownTenant: own,
        tenants: tenants ?? (isEverywhere ? undefined : [own]),
        serves,
        noteUse,
      },
      keys: [...new Set([...loaded.keys, ...rights.flatMap(({ keys }) => keys)])],
      lastsMs: Math.min(loaded.lastsMs, ...rights.map(({ lastsMs }) => lastsMs)),
    };
  };
}
