import { createHash } from 'node:crypto';
import { type Origin, type ReturnAddress, withCode } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import { countSignIn } from '@bailiwick/process';
import type { FinishRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { findDomains } from '../domains/queries.ts';
import type { ProviderValues } from '../providers/api-record.ts';
import { affectsSignIn, changesSubjects } from '../providers/changes.ts';
import { openCredentials } from '../providers/credentials.ts';
import { forgetIdentities, forgetProvider } from '../providers/forget.ts';
import type { Answer, Flow } from '../providers/protocols.ts';
import { findProvider, setLastLogin } from '../providers/queries.ts';
import {
  asRefusal,
  refusalFor,
  SignInRefused,
  startedByProvider,
  tenantClosed,
  unknownProvider,
} from '../refusal.ts';
import { readAssurance } from './assurance.ts';
import type { SignInDeps } from './deps.ts';
import { recordFailedLogin } from './failed-login.ts';
import { cookieOf, takeFlow } from './flow.ts';
import { mapGroups } from './groups.ts';
import { runsMailbox } from './mailbox.ts';
import { absentClaims, type Person, protocolOf, readPerson } from './person.ts';
import { withPostedName } from './posted-name.ts';
import { takeAssertion } from './queries.ts';
import { findReturn } from './return.ts';
import {
  keepsMapped,
  reportAbsentClaims,
  reportCutNames,
  reportGroups,
  reportWithheld,
  withAbsentClaims,
} from './silence.ts';

/** Handles a provider's answer: the user gets a session, or a refusal that says what to do. */
export async function finishSignIn(deps: SignInDeps, request: FinishRequest, call: Call) {
  const provider = await findProvider(deps.database, request.tenant, request.provider);
  if (!provider) throw unknownProvider();
  const summary: AnswerSummary = { absent: [] };
  try {
    return await countSignIn(protocolOf(provider), async () => {
      try {
        return await signIn(deps, { provider, request, summary }, call);
      } catch (thrown) {
        throw refusalFor(provider, withAbsentClaims(asRefusal(thrown), summary.absent));
      }
    });
  } catch (error) {
    // Answers without a started sign-in are not recorded.
    if (error instanceof SignInRefused && error.reason !== 'FLOW_UNKNOWN') {
      const { ip, userAgent } = request;
      await recordFailedLogin(deps, call, {
        provider,
        refusal: error,
        ip,
        userAgent,
        email: summary.email,
      });
    }
    throw error;
  }
}

/** The known parts of an answer when a sign-in is refused. `absent`: the named claims it lacks. */
type AnswerSummary = { email?: string; absent: readonly string[] };

type SignInInput = { provider: ProviderValues; request: FinishRequest; summary: AnswerSummary };

async function signIn(deps: SignInDeps, { provider, request, summary }: SignInInput, call: Call) {
  const flow = await findFlow(deps, { provider, request }, call);
  // The provider may have been deactivated since the sign-in started.
  if (!provider.active)
    throw new SignInRefused('PROVIDER_INACTIVE', 'the provider is switched off');
  const answer = await verify(deps, { provider, flow, parameters: request.parameters }, call);
  summary.absent = absentClaims(answer, provider);
  const person = withPostedName(readPerson(answer, provider), provider, request.parameters);
  summary.email = person.email;
  // An unsolicited answer names no address.
  const { returnTo, origin } = flow ?? (await findReturn(deps, provider.tenant, '', call));
  // The provider's row was not locked during the slow calls to the provider, so check it again.
  await assertUnchanged(deps, provider, affectsSignIn, call);
  const flowCookie = flow ? cookieOf(flow.state) : '';
  const { userId, linkToken } = await identifyUser(
    deps,
    { provider, answer, person, request },
    call,
  );
  if (linkToken !== '')
    return {
      redirect: linkPage(deps.publicUrl, returnTo),
      token: '',
      flow: flowCookie,
      link: linkToken,
    };
  await reportCutNames(deps, call, provider, person);
  await reportAbsentClaims(deps, call, provider, summary.absent);
  if (provider.tenant !== '') await join(deps, { provider, person, request, userId }, call);
  const { tenant, id, kind } = provider;
  const { ip, userAgent } = request;
  const { token, sessionId } = await deps.federation.openSession(
    {
      userId,
      tenant,
      provider: id,
      vouch: provider.vouchId,
      authMethod: kind,
      // The platform's providers count as one factor, whatever they say.
      assurance: tenant === '' ? 'aal1' : readAssurance(answer, provider.assuranceMap),
      origin,
      ip,
      userAgent,
    },
    call,
  );
  // If the provider was deleted or its subjects changed meanwhile, its sessions may have been
  // revoked before this one was created.
  await assertUnchanged(deps, provider, changesSubjects, call);
  await assertStillOpen(deps, provider, { sessionId, userId }, call);
  // The session exists: a failure to store the time must not lose it.
  const failed = (error: unknown) =>
    deps.log.warn('storing the last sign-in of a provider failed', { tenant, provider: id, error });
  await setLastLogin(deps.database, call, tenant, id).catch(failed);
  return origin === ''
    ? { redirect: returnTo, token, flow: flowCookie }
    : { redirect: withCode(returnTo, token), token: '', flow: flowCookie };
}

/** The flow of an answer; undefined for an unsolicited answer of a provider that allows them. */
async function findFlow(
  deps: SignInDeps,
  { provider, request: { parameters, bindings } }: Pick<SignInInput, 'provider' | 'request'>,
  call: Call,
): Promise<(Flow & ReturnAddress) | undefined> {
  const state = (provider.kind === 'saml' ? parameters['RelayState'] : parameters['state']) ?? '';
  const key = { tenant: provider.tenant, provider: provider.id, state, bindings };
  try {
    return await takeFlow(deps, call, key);
  } catch (error) {
    const isUnknown = error instanceof SignInRefused && error.reason === 'FLOW_UNKNOWN';
    if (!isUnknown || provider.kind !== 'saml') throw error;
    if (provider.allowIdpInitiated) return undefined;
    if (await isUnsolicited(deps, provider, parameters, call)) throw startedByProvider();
    throw error;
  }
}

/** Whether the provider itself has signed an answer to no request: anybody can send another one. */
async function isUnsolicited(
  deps: SignInDeps,
  provider: ProviderValues,
  parameters: Record<string, string>,
  call: Call,
): Promise<boolean> {
  const credentials = await openCredentials(deps.keys, provider);
  return deps.protocols
    .finish(provider, credentials, { flow: undefined, parameters, signal: call.signal })
    .then(
      () => true,
      () => false,
    );
}

/**
 * Throws if the provider was deleted, or changed in a way that affects the sign-in, since its
 * answer came.
 */
async function assertUnchanged(
  deps: SignInDeps,
  provider: ProviderValues,
  isOther: (before: ProviderValues, after: ProviderValues) => boolean,
  call: Origin,
): Promise<void> {
  const { tenant, id } = provider;
  const current = await findProvider(deps.database, tenant, id);
  if (current && !isOther(provider, current)) return;
  // Revokes what this sign-in created, together with everything else of a deleted or changed
  // provider.
  if (!current) await forgetProvider(deps, tenant, id, call);
  else if (changesSubjects(provider, current))
    await forgetIdentities(deps.federation, tenant, id, call);
  throw new SignInRefused('FLOW_UNKNOWN', 'the provider was changed during the sign-in');
}

/** Ends the new session if the provider was switched off, or its tenant closed, meanwhile. */
async function assertStillOpen(
  deps: SignInDeps,
  { tenant, id }: ProviderValues,
  opened: { sessionId: string; userId: string },
  call: Origin,
): Promise<void> {
  const isActive = (await findProvider(deps.database, tenant, id))?.active === true;
  const isOpen = tenant === '' || (await deps.admission.isOpen({ tenant }, call)).open;
  if (isActive && isOpen) return;
  // A code is not answered, so it opens no session.
  if (opened.sessionId !== '') await deps.credentials.endSession(opened, call);
  throw isOpen
    ? new SignInRefused('PROVIDER_INACTIVE', 'the provider is switched off')
    : tenantClosed();
}

type ReceivedCallback = {
  provider: ProviderValues;
  flow: Flow | undefined;
  parameters: Record<string, string>;
};

async function verify(
  deps: SignInDeps,
  { provider, flow, parameters }: ReceivedCallback,
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
    call,
    { tenant: provider.tenant, provider: provider.id, id },
    answer.assertion.expiresAt,
  );
  if (!isNew) throw new SignInRefused('ANSWER_INVALID', 'the assertion was used before');
  return answer;
}

/** The sign-in page, which links the identity once its user has signed in. */
const linkPage = (publicUrl: string, returnTo: string): string =>
  `${publicUrl}/login?link=1&return_to=${encodeURIComponent(returnTo)}`;

/** `linkToken`: the user has to sign in first; '' = the user is identified. */
type Identification = { userId: string; linkToken: string };

type IdentifyInput = {
  provider: ProviderValues;
  answer: Answer;
  person: Person;
  request: FinishRequest;
};

async function identifyUser(
  deps: SignInDeps,
  { provider, answer, person, request }: IdentifyInput,
  call: Origin,
): Promise<Identification> {
  const { tenant, id, jit, name: tenantName } = provider;
  const { ip, userAgent } = request;
  const { groups: _groups, groupStatement: _statement, ...profile } = person;
  const { user, linkToken } = await deps.federation.admit(
    {
      ...profile,
      ...(tenant === '' ? {} : await domainsOf(deps, tenant, call)),
      tenant,
      tenantName,
      provider: id,
      vouch: provider.vouchId,
      issuer: answer.issuer,
      runsMailbox: runsMailbox(provider, answer, person.email),
      jit,
      ip,
      userAgent,
    },
    call,
  );
  if (!user && linkToken === '') throw new Error('identity returned neither a user nor an error');
  return { userId: user?.id ?? '', linkToken };
}

/** The domains of a tenant that accepts sign-ins. The platform's providers vouch for all domains. */
async function domainsOf({ database, admission }: SignInDeps, tenant: string, call: Origin) {
  // A closed tenant accepts no users: none is created or linked for it.
  const { open } = await admission.isOpen({ tenant }, call);
  if (!open) throw tenantClosed();
  const { verified: domains, lapsed: lapsedDomains } = await findDomains(database, tenant);
  return { domains, lapsedDomains };
}

type JoinInput = {
  provider: ProviderValues;
  person: Person;
  request: FinishRequest;
  userId: string;
};

async function join(
  deps: SignInDeps,
  { provider, person, request, userId }: JoinInput,
  call: Call,
): Promise<void> {
  const { tenant, id, jit: mayJoin, defaultRoles, giver } = provider;
  const { ip, userAgent } = request;
  const mapped = mapGroups(person.groups, provider);
  const { missing, revoked, withheld, lacking } = await deps.admission.join(
    {
      tenant,
      userId,
      mayJoin,
      defaultRoles,
      provider: id,
      ...mapped,
      ip,
      userAgent,
      keepsMapped: keepsMapped(provider, person.groupStatement),
      ...(giver && { giver }),
    },
    call,
  );
  await reportGroups(deps, call, provider, person.groupStatement, revoked);
  if (lacking !== '') await reportWithheld(deps, call, provider, { withheld, lacking });
  if (missing.length > 0)
    deps.log.warn('a provider maps groups to missing roles or groups', {
      tenant,
      provider: id,
      missing,
    });
}
