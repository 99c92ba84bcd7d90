import { serviceCaller } from '@bailiwick/call';
import { type Database } from '@bailiwick/database';
import { changeRow, handOver, type Origin, type Refusal, type Target } from '@bailiwick/events';
import { type Refusals } from '@bailiwick/service';
import type Provider from 'oidc-provider';
import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import { findPlace, recordSignIn, removeTokens } from '../app-sign-ins/queries.ts';
import { signInHash } from '../app-sign-ins/record-hash.ts';
import { appOf } from './clients.ts';
import { scopesOf, tenantOf } from './grants.ts';
import { currentVisit, type Person, type Visit } from './visit.ts';

// The audit of sign-ins to apps. The entries are written before the browser or the app gets the
// answer. All are about a known app and an existing person, code or token, so that requests of
// strangers write none. A refresh writes none either.

type Deps = { database: Database; refusals: Refusals };
type Middleware = Parameters<Provider['use']>[0];
type Oidc = KoaContextWithOIDC['oidc'];

/** Writes the entries that follow from the library's events. */
export function auditSignIns(provider: Provider, deps: Deps): void {
  provider.on('authorization.success', () => void (currentVisit().signedIn = true));
  provider.on('authorization.error', (_ctx, error) => {
    // Other errors are about the request, or say that a page is needed.
    if (error.error === 'access_denied')
      currentVisit().refusal = error.error_description ?? error.error;
  });
  provider.on('grant.revoked', ({ oidc }) => {
    if (oidc.route === 'token') currentVisit().reused = true;
  });
  provider.use(entriesOf(deps));
}

const entriesOf =
  (deps: Deps): Middleware =>
  async (ctx, next) => {
    await next();
    const { oidc } = ctx as unknown as { oidc?: Oidc };
    const client = oidc?.client;
    if (!client) return;
    const visit = currentVisit();
    const { person } = visit;
    if (person && visit.signedIn && !(await auditSignIn(deps, oidc, client, person)))
      await takeBack(deps, ctx, visit, { app: client.clientId, sessionId: person.credentialId });
    if (person && visit.refusal !== '') await auditRefusal(deps, client, person);
    if (visit.reused) await auditReuse(deps, client, visit);
    if (visit.repeated) await auditRepetition(deps, client, visit);
  };

const targetsOf = ({ clientId, clientName }: Client, userId: string): Target[] => [
  { Type: 'oauth_app', ID: clientId, Name: clientName ?? '' },
  { Type: 'user', ID: userId, Name: '' },
];

function originOf({ id, credentialId }: Person, { ip, userAgent }: Visit): Origin {
  const caller = { ...serviceCaller('sso'), type: 'user', id, credentialId, ip, userAgent };
  return { operation: { name: '' }, caller };
}

/** Returns whether the sign-in stands: the person may have withdrawn the consent meanwhile. */
async function auditSignIn(
  { database }: Deps,
  oidc: Oidc,
  client: Client,
  person: Person,
): Promise<boolean> {
  const visit = currentVisit();
  const place = tenantOf(oidc.entities.Grant);
  const entry = changeRow(originOf(person, visit), {
    tenant: place,
    type: 'oauth_app.signed_in',
    data: null,
    targets: targetsOf(client, person.id),
  });
  const signIn = {
    tenant: appOf(client).tenant,
    app: client.clientId,
    sessionId: person.credentialId,
    userId: person.id,
    place,
    scopes: scopesOf(client, [...oidc.requestParamScopes]),
    isSilent: oidc.params?.['prompt'] === 'none',
    needsConsent: appOf(client).requireConsent,
  };
  const isRecorded = await recordSignIn(database, signIn, entry);
  if (isRecorded) handOver(database, [entry]);
  return isRecorded !== undefined;
}

/** Removes the code of a sign-in whose consent the person has withdrawn meanwhile. */
async function takeBack(
  { database }: Deps,
  ctx: Parameters<Middleware>[0],
  visit: Visit,
  { app, sessionId }: { app: string; sessionId: string },
): Promise<void> {
  visit.newGrant = undefined;
  visit.devicePage = undefined;
  await database.transaction(null, (em) => removeTokens(em, [signInHash(sessionId, app)]));
  visit.failure = 'The access of the app was withdrawn meanwhile. Please sign in again.';
  ctx.remove('location');
  ctx.status = 400;
  ctx.body = '';
}

async function auditRefusal({ refusals }: Deps, client: Client, person: Person): Promise<void> {
  const visit = currentVisit();
  await refusals.record(`sign in to ${client.clientId} ${person.id}`, originOf(person, visit), {
    Tenant: appOf(client).tenant,
    Action: 'oauth_app.sign_in_refused',
    Result: 'denied',
    Code: 'permission_denied',
    Targets: targetsOf(client, person.id),
    Reason: visit.refusal,
  });
}

const auditReuse = (deps: Deps, client: Client, visit: Visit) =>
  auditSecondUse(deps, client, visit, {
    Action:
      visit.presented?.model === 'RefreshToken'
        ? 'oauth_app.refresh_token_reused'
        : 'oauth_app.code_reused',
    Result: 'denied',
    Code: 'permission_denied',
  });

/** Many of them are counted, like refusals. */
const auditRepetition = (deps: Deps, client: Client, visit: Visit) =>
  auditSecondUse(deps, client, visit, {
    Action: 'oauth_app.refresh_repeated',
    Result: 'success',
    Code: '',
  });

type SecondUse = Pick<Refusal, 'Action' | 'Result' | 'Code'>;

/** The app's own request: the person has no part in it. */
async function auditSecondUse(
  { database, refusals }: Deps,
  client: Client,
  { presented, ip, userAgent }: Visit,
  use: SecondUse,
): Promise<void> {
  if (!presented) return;
  const { clientId } = client;
  const { accountId = '', sessionUid = '' } = presented.payload;
  const { tenant } = appOf(client);
  const place = await findPlace(database, tenant, clientId, sessionUid);
  const caller = { ...serviceCaller('sso'), type: 'anonymous', id: '', ip, userAgent };
  await refusals.record(
    `${use.Action} at ${clientId} ${accountId}`,
    { operation: { name: '' }, caller },
    {
      ...use,
      Tenant: place || tenant,
      Targets: [...targetsOf(client, accountId), { Type: 'session', ID: sessionUid, Name: '' }],
    },
  );
}
