import type { Caller, RightsKey } from '@bailiwick/contract';

export type { RightsKey };

/** The signal of a revocation. `cause` is the call that revokes, '' = none. */
export type Revocation = { id: string; keys: readonly RightsKey[]; cause?: string };

/**
 * The answer of a holder that has dropped the keys. `name`: its process; `kind`: that of its entries;
 * `followers`: those for which it speaks that have dropped them; `followersWaited`: those whose leases
 * it has waited out. An earlier version sends none of these.
 */
export type Acknowledgement = {
  id: string;
  holder: string;
  name?: string;
  kind?: HolderKind;
  followers?: number;
  followersWaited?: number;
};

/** A cache of rights, or the changes that a process is about to commit. */
export type HolderKind = 'cache' | 'changes';

const isRightsKey = (text: string): text is RightsKey =>
  /^(user|bot|credential|tenant|app|use):./.test(text);

/** The keys that the rights of a caller depend on; empty for callers whose rights are installed. */
export function keysOfCaller(caller: Caller): RightsKey[] {
  const { type, id, credentialId, tenant, ssoTenant, clientId, operator, homeTenant } = caller;
  if (type !== 'user' && type !== 'bot' && type !== 'portal') return [];
  const keys = new Set<RightsKey>(caller.rightsKeys.filter(isRightsKey));
  keys.add(`credential:${credentialId}`);
  if (type !== 'portal') keys.add(`${type}:${id}`);
  for (const one of [tenant, ssoTenant, homeTenant]) if (one !== '') keys.add(`tenant:${one}`);
  if (clientId !== '' && clientId !== id) keys.add(`app:${clientId}`);
  if (operator !== '') keys.add(`user:${operator}`);
  return [...keys];
}
