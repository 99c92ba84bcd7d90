import type { ProviderValues, Settable } from './api-record.ts';
import { countingCertificates } from './rollover/certificates.ts';

// The effect of a provider change on its users.

/**
 * Settings that determine the subject of a user. `clientId`: many providers use pairwise subjects
 * per client.
 */
const subjectSettings = ['issuer', 'clientId', 'idpEntityId', 'userinfoUrl'] as const;

/** Whether the provider's subjects change: existing links then point to no user. */
export const changesSubjects = (before: Settable, after: Settable): boolean =>
  subjectSettings.some((key) => before[key] !== after[key]) ||
  before.attributeMap['Subject'] !== after.attributeMap['Subject'];

/** Further settings that affect a sign-in. */
const signInSettings = [
  'active',
  'allowIdpInitiated',
  'jit',
  'defaultRoles',
  'groupMappings',
  'attributeMap',
  'assuranceMap',
  'absentGroups',
  'authorizationUrl',
  'tokenUrl',
  'emailsUrl',
] as const;

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Whether a running sign-in could identify another user or grant other rights with the new
 * settings. Storing that an announced certificate counts by now is no such change.
 */
export function affectsSignIn(
  before: ProviderValues,
  after: ProviderValues,
  now = new Date(),
): boolean {
  return (
    changesSubjects(before, after) ||
    !isEqual(countingCertificates(before, now), countingCertificates(after, now)) ||
    signInSettings.some((key) => !isEqual(before[key], after[key]))
  );
}

/** Settings that decide the person of a sign-in, and its proofs. */
const identifyingSettings = [
  'metadataUrl',
  'certificateChanges',
  'idpCertificates',
  'idpSsoUrl',
  'allowIdpInitiated',
  'attributeMap',
  'assuranceMap',
  'preset',
  'authorizationUrl',
  'tokenUrl',
  'emailsUrl',
] as const;

/** Whether a change could let its author sign in as the provider's people. */
export const changesIdentities = (before: Settable, after: Settable): boolean =>
  changesSubjects(before, after) ||
  identifyingSettings.some((key) => !isEqual(before[key], after[key]));
