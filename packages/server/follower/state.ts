import type { Matcher, Matchers } from './patterns.ts';

// The state of a token or subject in the gateway's answer: which permissions it holds where.

/** `Value` of an answer. */
export type StateFields = {
  Scopes?: string[];
  Sets?: string[][];
  Grants?: Record<string, number[]>;
};

export type State = {
  /** The permissions that the app may still use. Undefined if the question was not about the token of an app. */
  scopes: Matcher | undefined;
  /** Undefined in the state of a service's token, whose scope decides. */
  grants: Grants | undefined;
};

/** Permissions on every resource, and those on single ones. */
type Grants = { everywhere: Matcher; on: ReadonlyMap<string, readonly Matcher[]> };

/** Whether the grants include a permission on a resource. The resource '' is the whole tenant. */
export function isGranted(grants: Grants, permission: string, resource: string): boolean {
  if (grants.everywhere(permission)) return true;
  const matchers = grants.on.get(resource);
  if (!matchers) return false;
  for (const matcher of matchers) if (matcher(permission)) return true;
  return false;
}

/** Prepares a state. An entry costs little more than the names of its resources. */
export function readState({ Scopes, Sets = [], Grants }: StateFields, matchers: Matchers): State {
  const scopes = Scopes && matchers(Scopes);
  if (!Grants) return { scopes, grants: undefined };
  const { '': indexes = [], ...others } = Grants;
  const everywhere = matchers([...new Set(indexes.flatMap((index) => Sets[index] ?? []))]);
  const lists = new Map<string, readonly Matcher[]>();
  const on = new Map<string, readonly Matcher[]>();
  for (const [resource, own] of Object.entries(others)) {
    const key = own.join();
    const list = lists.get(key) ?? own.map((index) => matchers(Sets[index] ?? []));
    lists.set(key, list);
    on.set(resource, list);
  }
  return { scopes, grants: { everywhere, on } };
}
