import type { Origin } from '@bailiwick/contract';
import { changeRow, type Handover, type Refusal, type Target } from '@bailiwick/outbox';
import type { Refusals } from '@bailiwick/pipeline';
import type { Database } from '@bailiwick/store';
import type Provider from 'oidc-provider';
import type { Client } from 'oidc-provider';
import { findPlace } from '../app-sign-ins/queries.ts';
import { appOf } from './clients.ts';
import { type Middleware, type Oidc, oidcOf, reply, stateOf } from './context.ts';
import { scopesOf, tenantOf } from './grants.ts';
import { type NewRecord, putRecords } from './queries.ts';
import { byIssuer, type IssuerRequest, originOf, type Person } from './request.ts';
import { recordSignIn } from './sign-ins/queries.ts';
import type { SecondUse } from './token-requests.ts';

// The audit of sign-ins to apps. The entries are written before the browser or the app gets the
// answer. All are about a known app and an existing person, code or token, so that requests of
// strangers write none. A refresh writes none either.

type Deps = { database: Database; handover: Handover; refusals: Refusals };
type Context = Parameters<Middleware>[0];

/** Notes the outcomes for which the library has only events. */
export function followEvents(provider: Provider): void {
  provider.on('authorization.success', (ctx) => {
    stateOf(ctx).signIn = { kind: 'accepted' };
  });
  provider.on('authorization.error', (ctx, error) => {
    // Other errors are about the request, or say that a page is needed.
    if (error.error === 'access_denied')
      stateOf(ctx).signIn = { kind: 'refused', reason: error.error_description ?? error.error };
  });
  provider.on('grant.revoked', (ctx) => {
    const { tokens } = stateOf(ctx);
    if (tokens) tokens.isGrantRevoked = true;
  });
}

/** Stores the records of a request, and writes its entries. */
export async function auditRequest(deps: Deps, ctx: Context, use?: SecondUse): Promise<void> {
  const oidc = oidcOf(ctx);
  const client = oidc?.client;
  const { request, signIn, records: stored } = stateOf(ctx);
  const { person } = request;
  const records = [...stored.values()];
  if (client && person && signIn?.kind === 'accepted') {
    if (!(await auditSignIn(deps, oidc, attemptOf(client, person, request), records)))
      refuseWithdrawn(ctx);
    return;
  }
  // A request that ends with a page or an error leaves no grant behind.
  const others = records.filter(({ model }) => model !== 'Grant');
  await putRecords(deps.database, byIssuer, others);
  if (!client) return;
  if (person && signIn?.kind === 'refused')
    await auditRefusal(deps, attemptOf(client, person, request), signIn.reason);
  if (use) await auditSecondUse(deps, client, request, use);
}

const attemptOf = (client: Client, person: Person, request: IssuerRequest): Attempt => {
  const { id, credentialId } = person;
  return { client, person, origin: originOf(request, { type: 'user', id, credentialId }) };
};

type Attempt = { client: Client; person: Person; origin: Origin };

const targetsOf = ({ clientId, clientName }: Client, userId: string): Target[] => [
  { Type: 'oauth_app', ID: clientId, Name: clientName ?? '' },
  { Type: 'user', ID: userId, Name: '' },
];

/**
 * Stores a sign-in with its entry and records. Returns whether it stands: the person may have
 * withdrawn the consent meanwhile.
 */
async function auditSignIn(
  { database, handover }: Deps,
  oidc: Oidc,
  attempt: Attempt,
  records: readonly NewRecord[],
): Promise<boolean> {
  const { client, person, origin } = attempt;
  const place = tenantOf(oidc.entities.Grant);
  const entry = changeRow(origin, {
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
  const isRecorded = await recordSignIn(database, origin, signIn, records, entry);
  if (isRecorded) handover.add([entry]);
  return isRecorded !== undefined;
}

/** Answers a sign-in whose consent the person has withdrawn meanwhile. Its code was not stored. */
function refuseWithdrawn(ctx: Context): void {
  ctx.remove('location');
  ctx.status = 400;
  const failure = 'The access of the app was withdrawn meanwhile. Please sign in again.';
  reply(ctx, { kind: 'failure', failure });
}

const auditRefusal = ({ refusals }: Deps, { client, person, origin }: Attempt, reason: string) =>
  refusals.record(`sign in to ${client.clientId} ${person.id}`, origin, {
    Tenant: appOf(client).tenant,
    Action: 'oauth_app.sign_in_refused',
    Result: 'denied',
    Code: 'permission_denied',
    Targets: targetsOf(client, person.id),
    Reason: reason,
  });

function entryOf({ kind, presented }: SecondUse): Pick<Refusal, 'Action' | 'Result' | 'Code'> {
  // Many of them are counted, like refusals.
  if (kind === 'repeated')
    return { Action: 'oauth_app.refresh_repeated', Result: 'success', Code: '' };
  const isRefresh = presented.model === 'RefreshToken';
  const Action = isRefresh ? 'oauth_app.refresh_token_reused' : 'oauth_app.code_reused';
  return { Action, Result: 'denied', Code: 'permission_denied' };
}

/** The app's own request: the person has no part in it. */
async function auditSecondUse(deps: Deps, client: Client, request: IssuerRequest, use: SecondUse) {
  const { clientId } = client;
  const { accountId = '', sessionUid = '' } = use.presented.payload;
  const { tenant } = appOf(client);
  const place = await findPlace(deps.database, tenant, clientId, sessionUid);
  const entry = entryOf(use);
  await deps.refusals.record(`${entry.Action} at ${clientId} ${accountId}`, originOf(request), {
    ...entry,
    Tenant: place || tenant,
    Targets: [...targetsOf(client, accountId), { Type: 'session', ID: sessionUid, Name: '' }],
  });
}
