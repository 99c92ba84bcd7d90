import { text } from 'node:stream/consumers';
import type { Origin } from '@bailiwick/contract';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { PeerClient } from '@bailiwick/wire';
import type { Client, InteractionResults, default as Provider } from 'oidc-provider';
import { interactionPolicy } from 'oidc-provider';
import { appOf, describeApp, isUnproven } from './clients.ts';
import { accountIn, type Middleware, reply, stateOf } from './context.ts';
import type { IssuerDeps } from './deps.ts';
import { scopesOf } from './grants.ts';
import { assuranceOf, authTime, methodsOf } from './people.ts';
import { type Choice, originOf, type Person } from './request.ts';
import {
  onlyRequirement,
  remainingResults,
  requirementCheck,
  requirementUrl,
  requiringTenant,
} from './unmet-requirement.ts';

// The steps of a person before an app gets its code: they sign in on our own page, choose a tenant,
// consent, and come back here.

type Deps = Pick<IssuerDeps, 'database' | 'publicUrl' | 'tenants' | 'consents'>;
type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

const path = '/oauth/interaction/';
export const interactionUrl = (publicUrl: string, uid: string): string =>
  `${publicUrl}${path}${uid}`;

/** When to ask a person: the library's rules. It would also ask for native apps with https. */
export function promptPolicy() {
  const policy = interactionPolicy.base();
  const login = policy.get('login')?.checks;
  // Our check asks once. These would ask again and again.
  login?.remove('essential_acr');
  login?.remove('essential_acrs');
  login?.add(requirementCheck());
  const consent = policy.get('consent')?.checks;
  consent?.remove('native_client_prompt');
  // Claims follow the scopes: a request for a single claim has no effect.
  consent?.remove('op_claims_missing');
  const unproven = new interactionPolicy.Check(
    'unproven_address',
    'consent is required for each sign-in',
    'interaction_required',
    ({ oidc }) =>
      !!oidc.client &&
      isUnproven(oidc.client, oidc.params?.['redirect_uri']) &&
      !oidc.result?.consent,
  );
  consent?.add(unproven);
  const severalTenants = new interactionPolicy.Check(
    'several_tenants',
    'an organisation must be chosen',
    ({ oidc }) => accountIn(oidc)?.asksTenant === true,
  );
  policy.add(
    new interactionPolicy.Prompt({ name: 'select_account', requestable: true }, severalTenants),
    1,
  );
  return policy;
}

/** Ends an interaction after the person's step, or shows the page for the step. */
export const finishInteractions =
  (provider: Provider, deps: Deps): Middleware =>
  async (ctx, next) => {
    const isAnswer = ctx.method === 'POST';
    if (!(isAnswer || ctx.method === 'GET') || !ctx.path.startsWith(path)) return next();
    const { request } = stateOf(ctx);
    const { person } = request;
    const interaction = await provider.interactionDetails(ctx.req, ctx.res).catch(() => undefined);
    const client = await provider.Client.find(interaction ? textOf(interaction, 'client_id') : '');
    if (
      !interaction ||
      !client ||
      interaction.uid !== ctx.path.slice(path.length) ||
      !belongsTo(interaction, person)
    ) {
      ctx.status = 400;
      const failure = 'This sign-in has expired or was finished before. Please sign in again.';
      return reply(ctx, { kind: 'failure', failure });
    }
    const { tenant, back } = ctx.query;
    if (!person || !isDone(interaction, person, back !== undefined)) {
      ctx.redirect(await signInPage(deps, interaction, client, person));
      return;
    }
    // Only a form of our own page answers for the person: another site can link to this address.
    const answer = isAnswer ? new URLSearchParams(await text(ctx.req)).get('consent') : null;
    const step = { interaction, client, person, tenant, answer };
    const outcome = await outcomeOf(deps, step, originOf(request));
    if ('choice' in outcome) return reply(ctx, { kind: 'choice', choice: outcome.choice });
    const { result } = outcome;
    if (interaction.prompt.name === 'login') {
      // The person may be another one now than before, so earlier answers no longer count.
      interaction.result = { ...remainingResults(interaction, person), ...result };
      interaction.session = undefined;
    } else interaction.result = { ...interaction.lastSubmission, ...result };
    await interaction.persist();
    ctx.status = 303;
    ctx.redirect(interaction.returnTo);
  };

/** A parameter of the authorization request. */
function textOf({ params }: Interaction, name: string): string {
  const parameter = params[name];
  return typeof parameter === 'string' ? parameter : '';
}

type Step = {
  interaction: Interaction;
  client: Client;
  person: Person;
  tenant: unknown;
  /** The answer to the question for consent: yes or no; null = none. */
  answer: string | null;
};

/** The result of the person's step, or the page that asks for it now. */
async function outcomeOf(
  { tenants, consents }: Pick<IssuerDeps, 'tenants' | 'consents'>,
  { interaction, client, person, tenant, answer }: Step,
  call: Origin,
): Promise<{ result: InteractionResults } | { choice: Choice }> {
  const app = describeApp(client);
  switch (interaction.prompt.name) {
    case 'login': {
      const [amr, acr] = [methodsOf(person), assuranceOf(person)];
      return { result: { login: { accountId: person.id, ts: authTime(person), amr, acr } } };
    }
    case 'select_account': {
      const all = await tenants.ofPerson(person, call);
      if (all.length < 2 || all.some(({ id }) => id === tenant))
        return { result: { select_account: { tenant: tenant ?? all[0]?.id ?? '' } } };
      const options = all.map(({ id, name, slug }) => ({
        label: name || slug,
        href: `?tenant=${id}`,
      }));
      return { choice: { ...app, kind: 'tenant', options } };
    }
    default: {
      const scopes = scopesOf(client, textOf(interaction, 'scope').split(' '));
      if (answer === 'no') {
        await consents.remove(person.id, client);
        const error_description = 'the user denied the request';
        return { result: { error: 'access_denied', error_description } };
      }
      const { requireConsent } = appOf(client);
      if (answer === 'yes' && requireConsent) await consents.add(person.id, client, scopes);
      const asks = requireConsent || isUnproven(client, textOf(interaction, 'redirect_uri'));
      if (answer === 'yes' || !asks) return { result: { consent: {} } };
      const returnScheme = URL.parse(textOf(interaction, 'redirect_uri'))?.protocol ?? '';
      return { choice: { ...app, kind: 'consent', scopes, returnScheme } };
    }
  }
}

/**
 * Whether the person may finish the step: the person who began it may, with the same session. A
 * sign-in may end with another person and session.
 */
const belongsTo = ({ prompt, session }: Interaction, person: Person | undefined): boolean =>
  prompt.name === 'login' || (person !== undefined && session?.uid === person.credentialId);

/**
 * Whether the person has taken the step. Every reason except a missing session requires a new
 * sign-in. Times are in seconds: within the same second, only another session is a new sign-in.
 */
function isDone(interaction: Interaction, person: Person, isBack: boolean): boolean {
  const { prompt, iat, session } = interaction;
  if (prompt.name !== 'login' || prompt.reasons.every((reason) => reason === 'no_session'))
    return true;
  // The session is asked again. A person who comes back with the same session is not sent again.
  if (onlyRequirement(interaction)) return isBack;
  return session?.uid === person.credentialId ? authTime(person) > iat : authTime(person) >= iat;
}

/** Far more languages than a person reads. */
const longestLocales = 100;

async function signInPage(
  deps: Deps,
  interaction: Interaction,
  client: Client,
  person: Person | undefined,
): Promise<string> {
  const tenant = brandOf(client, interaction);
  const locales = textOf(interaction, 'ui_locales').slice(0, longestLocales);
  const requirement = onlyRequirement(interaction);
  const parameters = {
    ...(tenant !== '' && { tenant }),
    // The page takes the first that it has.
    ...(locales !== '' && { ui_locale: locales }),
    return_to: `${path}${interaction.uid}${requirement ? '?back=1' : ''}`,
  };
  if (requirement && person) return requirementUrl(deps, requirement, person, parameters);
  const search = new URLSearchParams({ ...(person && { again: '1' }), ...parameters });
  return `${deps.publicUrl}/login?${search.toString()}`;
}

/**
 * Describes the app that a person signs in to, for the page that `signInPage` leads to. The library
 * has checked app and redirect address before it stored the interaction. Any program can name a native
 * app whose address proves nothing: its name comes with the question for consent only.
 */
export async function describeSignIn(
  provider: Provider,
  admission: Pick<PeerClient<typeof Admission>, 'isOpen'>,
  uid: string,
  call: Origin,
): Promise<{ waiting?: boolean; app?: string; tenant?: string; owner?: string }> {
  const interaction = await provider.Interaction.find(uid);
  const client = interaction && (await provider.Client.find(textOf(interaction, 'client_id')));
  if (!client) return {};
  const owner = appOf(client).tenant;
  if (owner !== '' && !(await admission.isOpen({ tenant: owner }, call)).open) return {};
  const isProven = !isUnproven(client, textOf(interaction, 'redirect_uri'));
  return {
    waiting: true,
    app: isProven ? (client.clientName ?? '') : '',
    tenant: brandOf(client, interaction),
    owner,
  };
}

/** The tenant whose branding the sign-in page has; '' = none. */
const brandOf = (client: Client, interaction: Interaction): string =>
  appOf(client).tenant || requiringTenant(interaction);
