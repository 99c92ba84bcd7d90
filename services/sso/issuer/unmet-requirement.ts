import type { Origin } from '@bailiwick/contract';
import type { Database } from '@bailiwick/store';
import { errors, interactionPolicy } from 'oidc-provider';
import { listActive } from '../providers/queries.ts';
import { accountIn, type Oidc } from './context.ts';
import type { People } from './people.ts';
import type { Person, UnmetRequirement } from './request.ts';

// A session may prove less than an app needs: the tenant requires single sign-on or a second factor,
// or the app asks for an assurance (acr). The person then goes to the page where they get it, once
// for each thing that is lacking, and comes back into the same request.

/** The assurances of a sign-in (acr), from the weakest to the strongest. */
export const assurances = ['aal1', 'aal2', 'phishing_resistant'];

/** The reason of the check below, in an interaction. */
const reason = 'insufficient';

/** An unmet requirement, as the interaction stores it. */
type InteractionRequirement = Omit<UnmetRequirement, 'text'> & {
  /** Names it: a person is sent for it once. */
  key: string;
  /** The assurance that the app asks for; '' = what the tenant requires. */
  assurance: string;
};

/** The results that stay after another sign-in. */
type StepResults = { led?: readonly string[]; select_account?: { tenant?: string } };

/**
 * The requirement of a tenant that the session does not meet, '' = for an app of the platform.
 * @throws AccessDenied if no other session would help
 */
export async function unmetRequirement(
  people: People,
  person: Person,
  tenant: string,
  call: Origin,
): Promise<UnmetRequirement | undefined> {
  const refusal = await people.refusal(person, tenant, call);
  if (!refusal) return undefined;
  const { text, cure } = refusal;
  if (!cure) throw new errors.AccessDenied(text);
  return { tenant, cure, text };
}

/** Sends the person for the lack. A tenant's requirement that is still not met is refused. */
export const requirementCheck = () =>
  new interactionPolicy.Check(
    reason,
    'the session does not meet the requirements of the app',
    'login_required',
    ({ oidc }) => {
      const requirement = requirementFor(oidc);
      const { values, essential } = requestedAssurances(oidc);
      const isUnknown = essential && values.length > 0 && leastOf(values) === undefined;
      if (isUnknown) throw tooWeak();
      if (!requirement) return false;
      const { led = [] } = (oidc.result ?? {}) as StepResults;
      if (!led.includes(requirement.key)) return true;
      const { unmet } = accountIn(oidc) ?? {};
      if (unmet) throw new errors.AccessDenied(unmet.text);
      if (essential) throw tooWeak();
      return false;
    },
    ({ oidc }) => ({ lacking: requirementFor(oidc) }),
  );

const tooWeak = () =>
  new errors.UnmetAuthenticationRequirements(
    'the sign-in does not have the requested assurance (acr)',
  );

function requirementFor(oidc: Oidc): InteractionRequirement | undefined {
  const account = accountIn(oidc);
  if (!account) return undefined;
  if (account.unmet) {
    const { tenant, cure } = account.unmet;
    return { tenant, cure, key: `${tenant} ${cure}`, assurance: '' };
  }
  const least = leastOf(requestedAssurances(oidc).values);
  if (least === undefined || levelOf(oidc.acr) >= levelOf(least)) return undefined;
  return { tenant: '', cure: 'factor', key: `acr ${least}`, assurance: least };
}

/** Stronger assurances than the app asks for are enough. */
const leastOf = (values: readonly unknown[]): string | undefined =>
  assurances.find((one) => values.includes(one));
const levelOf = (assurance: string | undefined): number => assurances.indexOf(assurance ?? '');

/** The assurances of which the app asks for one. The library puts acr_values into the claims. */
function requestedAssurances({ claims }: Oidc): { values: readonly unknown[]; essential: boolean } {
  const acr = (claims?.id_token?.['acr'] ?? {}) as Record<string, unknown>;
  const { value, values, essential } = acr;
  return {
    values: [...(value === undefined ? [] : [value]), ...(Array.isArray(values) ? values : [])],
    essential: essential === true,
  };
}

type PromptedInteraction = {
  prompt: { reasons: string[]; details: object };
  lastSubmission?: object | undefined;
  session?: { accountId: string } | undefined;
};

const requirementOf = ({ prompt }: PromptedInteraction): InteractionRequirement | undefined =>
  (prompt.details as { lacking?: InteractionRequirement }).lacking;

/** The lack, if nothing else asks for another sign-in. */
export const onlyRequirement = (
  interaction: PromptedInteraction,
): InteractionRequirement | undefined =>
  interaction.prompt.reasons.every((each) => each === reason)
    ? requirementOf(interaction)
    : undefined;

/** The tenant whose requirement the session lacks; '' = none. */
export const requiringTenant = (interaction: PromptedInteraction): string =>
  requirementOf(interaction)?.tenant ?? '';

/** The results of earlier steps that stay after a sign-in. Only the same person keeps the chosen tenant. */
export function remainingResults(interaction: PromptedInteraction, { id }: Person): StepResults {
  const { led = [], select_account } = (interaction.lastSubmission ?? {}) as StepResults;
  const requirement = onlyRequirement(interaction);
  return {
    led: requirement ? [...led, requirement.key] : led,
    ...(select_account && interaction.session?.accountId === id && { select_account }),
  };
}

/**
 * Where the person fills the lack: at the tenant's only provider, or on the sign-in page. It
 * asks for a factor in the open session, if that session can prove one.
 */
export async function requirementUrl(
  { database, publicUrl }: { database: Database; publicUrl: string },
  { tenant, cure, assurance }: InteractionRequirement,
  person: Person,
  parameters: Readonly<Record<string, string>>,
): Promise<string> {
  if (cure === 'sso') {
    const [provider, ...others] = await listActive(database, tenant);
    if (provider && others.length === 0) {
      const query = new URLSearchParams({ return_to: parameters['return_to'] ?? '' });
      return `${publicUrl}/auth/${tenant}/${provider.id}/login?${query.toString()}`;
    }
  }
  const canProve = cure === 'factor' && person.limitedTo === '';
  const query = new URLSearchParams({
    ...(canProve ? { step_up: assurance || 'tenant' } : { again: '1' }),
    ...parameters,
  });
  return `${publicUrl}/login?${query.toString()}`;
}
