import { type Loaded, leaseMs, type RightsKey } from '@bailiwick/broker';
import { isId, lastsOf } from '@bailiwick/contract';
import { invalid, unauthenticated, unavailable } from '@bailiwick/errors';
import {
  Authority,
  type DescribeRightsResponse,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { Issuer } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { asService } from '@bailiwick/wire';
import { type Client, createClient } from '@connectrpc/connect';
import type { Peers } from '../peers.ts';
import { holderOf, limitOf } from '../session/access-tokens.ts';
import { keysOf, type Principal } from '../session/principal.ts';
import { readRights, rightsRequest } from '../session/rights.ts';

// The questions of followers: the state of a token with the grants of its holder, and the grants of
// a user or bot. identity says whether the session or key is live, sso whether the app may still have
// the token, and access which grants take effect.

export type Question =
  | {
      kind: 'token';
      subject: string;
      client: string;
      session: string;
      credential: string;
      tenant: string;
      audiences: string[];
      keyId: string;
    }
  | { kind: 'subject'; subject: string; tenant: string };

/** As docs/follow.md describes it. */
export type FollowedValue = {
  Scopes?: string[];
  Sets?: string[][];
  Grants?: Record<string, number[]>;
};

type Token = Extract<Question, { kind: 'token' }>;
type Subject = Extract<Question, { kind: 'subject' }>;
type Answer = Loaded<FollowedValue>;

type Clients = {
  credentials: Client<typeof Credentials>;
  authority: Client<typeof Authority>;
  issuer: Client<typeof Issuer>;
};

/** The name of a question in a cache. */
export const nameOf = (question: Question): string =>
  `follow ${JSON.stringify(Object.values(question))}`;

/**
 * Loads the answer to a question, and what ends it. The function throws unauthenticated for a token
 * that is refused, and failed_precondition for a subject with too many grants.
 */
export function createQuestions(peers: Pick<Peers, 'identity' | 'access' | 'sso'>) {
  const clients: Clients = {
    credentials: createClient(Credentials, asService(peers.identity, 'gateway')),
    authority: createClient(Authority, asService(peers.access, 'gateway')),
    issuer: createClient(Issuer, asService(peers.sso, 'gateway')),
  };
  return (question: Question): Promise<Answer> =>
    question.kind === 'token' ? answerToken(clients, question) : answerSubject(clients, question);
}

async function answerSubject({ authority }: Clients, question: Subject): Promise<Answer> {
  const { subject, tenant } = question;
  const isBot = isId('bot', subject);
  if (!(isBot || isId('usr', subject)) || !isId('tnt', tenant))
    throw invalid('Subject must be the ID of a user or bot, and Tenant that of a tenant');
  const response = await authority.describeRights({
    principal: { principalType: isBot ? 'bot' : 'user', principalId: subject, tenant },
    withoutSession: true,
  });
  const { effective } = response;
  if (!effective) throw unavailable();
  return loaded(grantsIn(response), {
    keys: effective.cacheKeys as RightsKey[],
    lastsMs: lastsOf(effective, leaseMs),
  });
}

async function answerToken(clients: Clients, token: Token): Promise<Answer> {
  const kind = kindOf(token);
  const [{ scopes }, answer] = await Promise.all([
    clients.issuer.confirmClient(claimsOf(token)),
    kind === 'service' ? undefined : answerHolder(clients, token),
  ]);
  const { client, subject, tenant } = token;
  const keys: RightsKey[] = [`app:${client}`, 'issuer:keys'];
  if (!answer) {
    // The scope of a service decides, while its tenant is active.
    const ofService = tenant === '' ? keys : [...keys, `tenant:${tenant}` as const];
    return loaded({ Scopes: scopes }, { keys: ofService, lastsMs: Number.POSITIVE_INFINITY });
  }
  const { value, lastsMs } = answer;
  if (kind === 'bot') return loaded(value, { keys: [...keys, ...answer.keys], lastsMs });
  const use: RightsKey = `use:${subject}:${client}`;
  return loaded({ Scopes: scopes, ...value }, { keys: [...keys, use, ...answer.keys], lastsMs });
}

/** The holder of a token. @throws unauthenticated for claims that no token has */
function kindOf({ subject, client, session, credential, tenant, keyId }: Token) {
  const isAnyTenant = tenant === '' || isId('tnt', tenant);
  if (!isAnyTenant || !/^[A-Za-z0-9_-]{1,64}$/.test(keyId)) throw unauthenticated();
  const isOwn = subject === client;
  if (!isOwn && isId('usr', subject) && isId('ses', session) && credential === '') return 'person';
  if (isOwn && isId('app', subject) && session === '' && credential === '') return 'service';
  const isBotCredential = isId('bky', credential) || isId('btr', credential);
  if (isOwn && isId('bot', subject) && session === '' && isBotCredential) return 'bot';
  throw unauthenticated();
}

const claimsOf = ({ subject, client, session, tenant, audiences, keyId }: Token) => ({
  subject,
  clientId: client,
  sessionId: session,
  tenant,
  audiences,
  keyId,
});

/** The grants of a token's user or bot. A question is no use of the session or key. */
async function answerHolder(clients: Clients, token: Token): Promise<Answer> {
  const { subject, session: sessionId, credential: credentialId, tenant } = token;
  const claims = { subject, sessionId, credentialId, tenant };
  const { unchangedFor, ...holder } = await holderOf(clients.credentials, claims, { unused: true });
  const limitedTo = limitOf(claims, holder);
  const principal = { ...holder, limitedTo, clientId: token.client, rightsOf: '', rightsKeys: [] };
  const ownMs = lastsOf({ unchangedFor }, leaseMs);
  // A token for all tenants gives no permission by itself: grants are in tenants.
  if (tenant === '')
    return { value: { Sets: [], Grants: {} }, keys: keysOf(principal), lastsMs: ownMs };
  const { value, keys, lastsMs } = await describe(clients, principal, tenant);
  return {
    value,
    keys: [...keysOf(principal), ...keys],
    lastsMs: Math.min(ownMs, lastsMs),
  };
}

async function describe(
  { authority, credentials }: Clients,
  principal: Principal,
  tenant: string,
): Promise<Answer> {
  const response = await authority.describeRights({ principal: rightsRequest(principal, tenant) });
  if (!response.effective) throw unavailable();
  const rights = await readRights(credentials, principal, tenant, response.effective);
  // A bot has no session that the tenant could refuse.
  if (principal.type === 'user' && rights.value.check.refusal !== 'none') throw unauthenticated();
  return { ...rights, value: grantsIn(response) };
}

const grantsIn = ({ sets, grants }: DescribeRightsResponse): FollowedValue => ({
  Sets: sets.map(({ permissions }) => permissions),
  Grants: Object.fromEntries(grants.map((grant) => [grant.resource, grant.sets])),
});

const loaded = (
  value: FollowedValue,
  { keys, lastsMs }: Pick<Answer, 'keys' | 'lastsMs'>,
): Answer => ({ value, keys: [...new Set(keys)], lastsMs, bytes: bytesOf(value) });

/** About as many bytes as the answer takes, with its keys. */
function bytesOf({ Scopes = [], Sets = [], Grants = {} }: FollowedValue): number {
  const texts = [...Scopes, ...Sets.flat(), ...Object.keys(Grants)];
  return texts.reduce((total, text) => total + text.length + 64, 2048);
}
