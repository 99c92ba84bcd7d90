import { createHash } from 'node:crypto';
import type { FinishRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { countSignIn } from '@bailiwick/shared/sign-ins.ts';
import { findDomains } from '../domains/queries.ts';
import { judgesAnew, namesAnew } from '../providers/changes.ts';
import { openCredentials } from '../providers/credentials.ts';
import { forgetProvider } from '../providers/forget.ts';
import { findProvider, noteLogin } from '../providers/queries.ts';
import type { ProviderValues } from '../providers/record.ts';
import type { SignInDeps } from './deps.ts';
import { recordFailure } from './failure.ts';
import { cookieOf, type Flow, takeFlow } from './flow.ts';
import { mapGroups, type Person, readPerson } from './person.ts';
import type { Answer } from './protocols.ts';
import { takeAssertion } from './queries.ts';
import { asRefusal, SignInRefused, unknownProvider } from './refusal.ts';
import { type ReturnTarget, readReturn, withCode } from './return.ts';

/** Takes a provider's answer: who it is about gets a session, or is refused and told what to do. */
export async function finishSignIn(deps: SignInDeps, request: FinishRequest, call: Call) {
  const provider = await findProvider(deps.database, request.tenant, request.provider);
  if (!provider) throw unknownProvider();
  const seen: { email?: string } = {};
  try {
    return await countSignIn(provider.kind === 'saml' ? 'saml' : 'oidc', async () => {
      try {
        return await signIn(deps, { provider, request, seen }, call);
      } catch (thrown) {
        throw asRefusal(thrown);
      }
    });
  } catch (error) {
    // What belongs to no sign-in that anybody has begun is nobody's to be told of.
    if (error instanceof SignInRefused && error.reason !== 'FLOW_UNKNOWN') {
      const { ip, userAgent } = request;
      await recordFailure(deps, call, { provider, refusal: error, ip, userAgent, ...seen });
    }
    throw error;
  }
}

type Arrived = { provider: ProviderValues; request: FinishRequest; seen: { email?: string } };

async function signIn(deps: SignInDeps, { provider, request, seen }: Arrived, call: Call) {
  const flow = await findFlow(deps, provider, request);
  // Switched off between the two halves, it counts for nothing any more.
  if (!provider.active)
    throw new SignInRefused('PROVIDER_INACTIVE', 'the provider is switched off');
  const answer = await verify(deps, { provider, flow, parameters: request.parameters }, call);
  const person = readPerson(answer, provider);
  seen.email = person.email;
  // A provider may take its time to answer us, and its record does not wait for it.
  await assertUnchanged(deps, provider, judgesAnew);
  const userId = await admit(deps, { provider, issuer: answer.issuer, person, request });
  await join(deps, { provider, person, request, userId });
  const { tenant, id, kind } = provider;
  const { ip, userAgent } = request;
  const { returnTo, origin } = flow ?? readReturn('', deps);
  const { token } = await deps.federation.openSession({
    userId,
    tenant,
    provider: id,
    authMethod: kind,
    origin,
    ip,
    userAgent,
  });
  // Whoever deleted the provider meanwhile, or made its names mean others, may have ended what came from it before this.
  await assertUnchanged(deps, provider, namesAnew);
  // The session is there: a note that fails must not take it from the person.
  const failed = (error: unknown) =>
    deps.log.warn('a sign-in could not be noted at its provider', { tenant, provider: id, error });
  await noteLogin(deps.database, tenant, id).catch(failed);
  const over = flow ? cookieOf(flow.state) : '';
  return origin === ''
    ? { redirect: returnTo, token, flow: over }
    : { redirect: withCode(returnTo, token), token: '', flow: over };
}

/** The flow that an answer belongs to; undefined where the provider may send answers that nobody has asked for, and this is one. */
async function findFlow(
  deps: SignInDeps,
  provider: ProviderValues,
  { parameters, bindings }: FinishRequest,
): Promise<(Flow & ReturnTarget) | undefined> {
  const state = (provider.kind === 'saml' ? parameters['RelayState'] : parameters['state']) ?? '';
  const visit = { tenant: provider.tenant, provider: provider.id, state, bindings };
  try {
    return await takeFlow(deps, visit);
  } catch (error) {
    const isUnasked = provider.kind === 'saml' && provider.allowIdpInitiated;
    if (isUnasked && error instanceof SignInRefused && error.reason === 'FLOW_UNKNOWN')
      return undefined;
    throw error;
  }
}

/** Asserts that a provider is there and, as far as the sign-in rests on it, what it was when its answer came. */
async function assertUnchanged(
  deps: SignInDeps,
  provider: ProviderValues,
  isOther: typeof judgesAnew,
): Promise<void> {
  const { tenant, id } = provider;
  const current = await findProvider(deps.database, tenant, id);
  if (current && !isOther(provider, current)) return;
  // What this sign-in has left behind goes with all else that came from a provider that is gone, or named others.
  if (!current) await forgetProvider(deps, tenant, id);
  else if (namesAnew(provider, current))
    await deps.federation.forgetProvider({ tenant, provider: id });
  throw new SignInRefused('FLOW_UNKNOWN', 'the provider was changed while somebody was signing in');
}

type Arrival = {
  provider: ProviderValues;
  flow: Flow | undefined;
  parameters: Record<string, string>;
};

async function verify(
  deps: SignInDeps,
  { provider, flow, parameters }: Arrival,
  call: Call,
): Promise<Answer> {
  const credentials = await openCredentials(deps.keys, provider);
  const answer = await deps.protocols.finish(provider, credentials, {
    flow,
    parameters,
    signal: call.signal,
  });
  if (!answer.assertion) return answer;
  const id = createHash('sha256').update(answer.assertion.id).digest('hex');
  const isNew = await takeAssertion(
    deps.database,
    { tenant: provider.tenant, provider: provider.id, id },
    answer.assertion.expiresAt,
  );
  if (!isNew) throw new SignInRefused('ANSWER_INVALID', 'the assertion was used before');
  return answer;
}

type Admission = {
  provider: ProviderValues;
  issuer: string;
  person: Person;
  request: FinishRequest;
};

async function admit(
  { database, federation, admission }: SignInDeps,
  { provider, issuer, person, request }: Admission,
): Promise<string> {
  const { tenant, id, jit, name: tenantName } = provider;
  const { ip, userAgent } = request;
  // A tenant that is closed takes nobody: nobody is made or linked for it.
  const { open } = await admission.isOpen({ tenant });
  if (!open) throw new SignInRefused('NO_MEMBER', 'the tenant is not active');
  const { verified: domains, lapsed: lapsedDomains } = await findDomains(database, tenant);
  const { groups: _unknownThere, ...profile } = person;
  const { user } = await federation.admit({
    ...profile,
    tenant,
    tenantName,
    provider: id,
    issuer,
    domains,
    lapsedDomains,
    jit,
    ip,
    userAgent,
  });
  if (!user) throw new Error('identity admits nobody without saying why');
  return user.id;
}

type Joining = { provider: ProviderValues; person: Person; request: FinishRequest; userId: string };

async function join(
  { admission, log }: SignInDeps,
  { provider, person, request, userId }: Joining,
): Promise<void> {
  const { tenant, id, jit: mayJoin, defaultRoles } = provider;
  const { ip, userAgent } = request;
  const mapped = mapGroups(person.groups, provider);
  const { missing } = await admission.join({
    tenant,
    userId,
    mayJoin,
    defaultRoles,
    provider: id,
    ...mapped,
    ip,
    userAgent,
  });
  if (missing.length > 0)
    log.warn('a provider maps groups to what is not there any more', {
      tenant,
      provider: id,
      missing,
    });
}
