import type { Origin } from '@bailiwick/contract';
import { unauthenticated } from '@bailiwick/errors';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { IssuerConfirmClientRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { PeerClient } from '@bailiwick/wire';
import type { AdapterPayload } from 'oidc-provider';
import type { SignIn } from '../app-sign-ins/queries.ts';
import { isBot } from './bots.ts';
import { appOf, type FindClient } from './clients.ts';
import type { createSigningKeys } from './signing-keys.ts';

type Deps = {
  signingKeys: Pick<ReturnType<typeof createSigningKeys>, 'has'>;
  findClient: FindClient;
  hasSignIn: (signIn: SignIn) => Promise<boolean>;
  admission: Pick<PeerClient<typeof Admission>, 'isOpen'>;
};

type Claims = Omit<IssuerConfirmClientRequest, '$typeName' | '$unknown'>;

/**
 * Returns which scopes the app of an access token may still have. A follower caches the answer until
 * the app, the keys, the person's sign-in or the tenant of a service changes, so it rests on no older
 * copy.
 * @throws unauthenticated
 */
export const createClientConfirmation =
  ({ signingKeys, findClient, hasSignIn, admission }: Deps) =>
  async (token: Claims, call: Origin): Promise<string[]> => {
    const [hasKey, client] = await Promise.all([
      signingKeys.has(token.keyId),
      findClient(token.clientId),
    ]);
    if (!hasKey || !client || !isStillFor(client, token)) throw unauthenticated();
    const isLive = isOwn(token)
      ? isForItself(client, token) && (await hasOpenTenant(admission, token, call))
      : await hasSignIn(signInOf(client, token));
    if (!isLive) throw unauthenticated();
    return [...appOf(client).scopes];
  };

/** Whether the subject got the token for itself. */
const isOwn = ({ subject, clientId }: Claims): boolean => subject === clientId;

function isStillFor(client: AdapterPayload, { tenant, audiences }: Claims): boolean {
  const { tenant: own, resources } = appOf(client);
  return (
    (own === '' || own === tenant) &&
    audiences.length > 0 &&
    audiences.every((audience) => resources.includes(audience))
  );
}

/** A service or a bot. identity says whether the bot's credential is live. */
const isForItself = ({ grant_types: grants }: AdapterPayload, { sessionId }: Claims): boolean =>
  sessionId === '' && grants?.includes('client_credentials') === true;

/**
 * Whether the tenant of a service is active. About that of a bot or person access answers the gateway
 * itself, with the grants.
 */
const hasOpenTenant = async (
  admission: Deps['admission'],
  { clientId, tenant }: Claims,
  call: Origin,
): Promise<boolean> =>
  isBot(clientId) || tenant === '' || (await admission.isOpen({ tenant }, call)).open;

const signInOf = (
  client: AdapterPayload,
  { clientId, sessionId, tenant, subject }: Claims,
): SignIn => ({
  tenant: appOf(client).tenant,
  app: clientId,
  sessionId,
  userId: subject,
  place: tenant,
});
