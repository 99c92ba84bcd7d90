import type { Settable } from './values.ts';

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
  'idpCertificates',
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

/**
 * Whether a running sign-in could identify another user or grant other rights with the new
 * settings.
 */
export const affectsSignIn = (before: Settable, after: Settable): boolean =>
  changesSubjects(before, after) ||
  signInSettings.some((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));

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
  identifyingSettings.some((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
