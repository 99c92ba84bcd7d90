import type { RightsKey } from '@bailiwick/broker';
import type { ResolveResponse } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';

/** Who calls, and with which credential. */
export type Principal = ResolveResponse & {
  /** The app of an access token; '' = another credential. */
  clientId: string;
  /** The rights depend on this and the tenant. An access token narrows its session. */
  rightsOf: string;
  /** The further keys that end the principal, for the services that make its changes. */
  rightsKeys: RightsKey[];
  /** The endpoint of a portal session, and its permissions; absent = another credential. */
  portal?: { endpoint: string; permissions: Uint8Array };
};

/** A principal, the addresses that it may call from, and what ends it. */
export type Resolved = {
  principal: Principal;
  keys: RightsKey[];
  /** How long it stays the same without a revocation. */
  lastsMs: number;
  /** Called with each use. */
  noteUse: () => void;
};

/** The events that end a principal. ForgetProvider ends all sessions that came from the provider. */
export const keysOf = (principal: ResolveResponse): RightsKey[] => [
  rightsKeyOf(principal),
  `credential:${principal.credentialId}`,
  ...(principal.ssoTenant === '' ? [] : [`tenant:${principal.ssoTenant}` as const]),
  // A support session ends with the operator's own session and rights.
  ...(principal.operator === ''
    ? []
    : [`user:${principal.operator}` as const, `credential:${principal.operatorSession}` as const]),
];

/** The keys that a service cannot know from the caller. */
export const moreKeysOf = ({ operatorSession }: ResolveResponse): RightsKey[] =>
  operatorSession === '' ? [] : [`credential:${operatorSession}`];

export const rightsKeyOf = ({ type, id }: ResolveResponse): RightsKey =>
  type === 'bot' ? `bot:${id}` : `user:${id}`;
