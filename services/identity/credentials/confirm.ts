import { common, type Origin, supportCaller } from '@bailiwick/contract';
import { unauthenticated } from '@bailiwick/errors';
import type { Credential } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import type { Issuer } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { findLiveBotKeyById } from '../bot-keys/queries.ts';
import { isLiveTrust } from '../bot-trusts/queries.ts';
import { findLiveSessionById, findSupportSessionById, proofOf } from '../sessions/live/queries.ts';

type Deps = { database: Database; issuer: Pick<PeerClient<typeof Issuer>, 'confirmApp'> };
type CredentialRef = Omit<Credential, '$typeName' | '$unknown'>;

/** The proof of a running call's credential. @throws unauthenticated if it has ended */
export async function confirmCredential(
  deps: Deps,
  credential: CredentialRef | undefined,
  call: Origin,
) {
  if (!credential) throw unauthenticated();
  const { type, id, credentialId, tenant } = credential;
  const narrowedTo = await scopesOf(deps, credential, call);
  if (type === 'bot') {
    const named = { tenant, bot: id, credentialId };
    const isLive =
      (await findLiveBotKeyById(deps.database, named)) !== undefined ||
      (await isLiveTrust(deps.database, named));
    if (!isLive) throw unauthenticated();
    return { state: { ...noSession, narrowedTo } };
  }
  const session =
    type === supportCaller
      ? await supportSession(deps.database, credentialId)
      : await findLiveSessionById(deps.database, credentialId);
  if (session?.user_id !== id) throw unauthenticated();
  return { state: { ...proofOf(session), narrowedTo } };
}

const noSession = {
  ssoTenant: '',
  limitedTo: '',
  assurance: '',
  ownAssurance: '',
  operator: '',
  voucher: '',
};

/** A support session ends with the operator's own. */
async function supportSession(database: Database, id: string) {
  const session = await findSupportSessionById(database, id);
  if (!session) return undefined;
  const { operator, operator_session: ownId } = session;
  const own = await findLiveSessionById(database, ownId);
  return own?.user_id === operator ? session : undefined;
}

/** The narrowing of the credential. The app of an access token may have lost scopes. */
async function scopesOf(
  { issuer }: Deps,
  { id, clientId, narrowedTo, tenant }: CredentialRef,
  call: Origin,
): Promise<string[]> {
  if (clientId === '' || clientId === id) return narrowedTo;
  const { scopes } = await issuer.confirmApp({ clientId, tenant, scopes: narrowedTo }, call);
  const permissions = common(narrowedTo, scopes);
  return permissions.length === 0 ? [''] : permissions;
}
