import type { MatchedTrust } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { errors as joseErrors, jwtVerify } from 'jose';
import { errors } from 'oidc-provider';
import type { BotAudit, Reason } from './bot-audit.ts';
import type { BotDeps } from './bots.ts';
import type { PeopleDeps } from './people.ts';
import { type IssuerRequest, originOf, type ProvenBot } from './request.ts';
import { algorithms, type KeySet, keySetOf, type Subject, skew } from './subject-token.ts';
import type { TrustedKeys } from './trusted-keys.ts';

export type BotProofDeps = {
  credentials: Pick<PeopleDeps['credentials'], 'matchTrusts'>;
  admission: BotDeps['admission'];
  keys: TrustedKeys;
  audit: BotAudit;
};

/** One answer for all reasons: a caller must not learn which bots and trusts exist. */
const notAccepted = () =>
  new errors.InvalidRequest(
    'the subject_token is not accepted for this bot: no trust has its issuer, audience, subject and claims, or its signature is not valid',
  );

/**
 * Proves a bot by a token of another issuer. Only an issuer that a trust of the bot names is asked
 * for its keys.
 * @throws invalid_request
 */
export async function proveBot(
  { credentials, admission, keys, audit }: BotProofDeps,
  id: string,
  { token, claims, request }: { token: string; claims: Subject; request: IssuerRequest },
): Promise<{ bot: ProvenBot; trust: MatchedTrust }> {
  const call = originOf(request);
  const { tenant, active, trusts } = await credentials.matchTrusts(
    {
      bot: id,
      claims: JSON.stringify(claims),
    },
    call,
  );
  if (tenant === '') throw notAccepted();
  const isOpen = (await admission.isOpen({ tenant }, call)).open;
  const proof =
    active && isOpen
      ? await firstValid(keys, token, trusts)
      : active
        ? 'tenant_inactive'
        : 'bot_inactive';
  if (typeof proof !== 'string')
    return { bot: { id, tenant, credentialId: proof.id, narrowedTo: [] }, trust: proof };
  await audit.refused({ id, tenant }, proof, claims, request);
  throw notAccepted();
}

/** Clusters may have issuers of the same name, so several trusts may match. */
async function firstValid(
  keys: TrustedKeys,
  token: string,
  trusts: readonly MatchedTrust[],
): Promise<MatchedTrust | Reason> {
  let reason: Reason = 'no_trust_matches';
  const tried = new Set<string>();
  for (const trust of trusts) {
    if (tried.has(trust.jwks)) continue;
    tried.add(trust.jwks);
    const problem = await verify(keys, token, trust);
    if (problem === undefined) return trust;
    reason = problem;
  }
  return reason;
}

async function verify(
  keys: TrustedKeys,
  token: string,
  { issuer, jwks }: MatchedTrust,
): Promise<Reason | undefined> {
  if (jwks !== '')
    return verifyWith(keySetOf((JSON.parse(jwks) as { keys: object[] }).keys), token);
  const keySet = await keys.find(issuer);
  if (!keySet) return 'issuer_unreachable';
  const problem = await verifyWith(keySet, token);
  if (problem === undefined) return undefined;
  // The issuer may have added a key, or replaced one under its kid.
  const renewed = await keys.renew(issuer);
  return renewed ? verifyWith(renewed, token) : problem;
}

async function verifyWith(keySet: KeySet, token: string): Promise<Reason | undefined> {
  try {
    await jwtVerify(token, keySet, { algorithms: [...algorithms], clockTolerance: skew });
    return undefined;
  } catch (error) {
    return error instanceof joseErrors.JWKSNoMatchingKey ? 'key_unknown' : 'signature_invalid';
  }
}
