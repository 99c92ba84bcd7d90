import type { IncomingMessage } from 'node:http';
import type { Account, AdapterPayload, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { AppRow } from '../apps/entities.ts';
import type { NewRecord, RecordRow } from './queries.ts';
import type {
  IssuerRequest,
  Member,
  Person,
  ProvenBot,
  Reply,
  UnmetRequirement,
} from './request.ts';

// Our state on the context of oidc-provider. The library calls our hooks and events with nothing of
// ours but this context, and ignores the results of most: the request cannot reach them as an
// argument, nor the reply come back as a result.

/** The part of an app that the rules read. The library caches clients by their content as JSON. */
export type ClientApp = Pick<
  AppRow,
  'tenant' | 'resources' | 'scopes' | 'tokenLifetimeSeconds' | 'requireConsent' | 'logo'
> & {
  /** How long the answer to a refresh may be repeated. */
  refreshReuseSeconds: number;
  /** SHA-256 of the secrets, in hexadecimal; '' = none. */
  secret: string;
  previousSecret: string;
  previousSecretUntil: string | null;
  /** The last lock. */
  lockedAt: string | null;
};

export type Context = KoaContextWithOIDC;
export type Oidc = Context['oidc'];
export type Middleware = Parameters<Provider['use']>[0];

/** The state of a request. It lies on the request of Node, which the handler makes. */
export type RequestState = {
  readonly request: IssuerRequest;
  /** The hooks for pages and errors return nothing. */
  reply: Reply;
  /** Whether the app gets a code, and why not. The library says so with events. */
  signIn?: { kind: 'accepted' } | { kind: 'refused'; reason: string };
  /** The records that it stores, by their ids. They are stored together at its end. */
  readonly records: Map<string, NewRecord>;
  tokens?: TokenRequest;
};

/** A request for tokens, as the adapter sees it. The library calls the adapter without a context. */
export type TokenRequest = {
  /** The code or token that it uses up; '' = none. */
  uses: string;
  /** The code or refresh token that the app presents. The library drops it with each refusal. */
  presented?: { model: string; id: string; payload: AdapterPayload };
  /** The grant of it, which was read with it. */
  grant?: RecordRow | undefined;
  /** Whether a proof or assertion of the request was used before. */
  isProofRepeated?: boolean;
  /** Whether the code was used before, so that its grant has ended. The library sends an event. */
  isGrantRevoked?: boolean;
};

type Carrier = { req: IncomingMessage & { issuer?: RequestState } };

export function stateOf(ctx: Carrier | undefined): RequestState {
  if (!ctx?.req.issuer) throw new Error('the OpenID provider answers requests only');
  return ctx.req.issuer;
}

/** Sends a page of ours instead of the library's response. */
export function reply(ctx: Carrier & { body: unknown }, page: Reply): void {
  stateOf(ctx).reply = page;
  ctx.body = '';
}

/** The library's part of a context; undefined outside of its routes. */
export const oidcOf = (ctx: object): Oidc | undefined => (ctx as { oidc?: Oidc }).oidc;

/** The result of `findAccount`. The library keeps it for its other hooks. */
export type PersonAccount = Account & {
  person: Person;
  /** The membership of the tenant that a token is for, and the scopes of its code. */
  member?: Member | undefined;
  scopes?: ReadonlySet<string> | undefined;
  /** Before an app gets a code, the person has to choose a tenant, or to prove more. */
  asksTenant?: boolean;
  unmet?: UnmetRequirement | undefined;
};

export const accountIn = ({ account }: Oidc) => account as PersonAccount | undefined;

/** The bot that proved itself is an entity of the request, like its client. */
export const setBot = (oidc: Oidc, bot: ProvenBot): void => oidc.entity('Bot', bot);
export const botIn = ({ entities }: Oidc) => entities['Bot'] as ProvenBot | undefined;
