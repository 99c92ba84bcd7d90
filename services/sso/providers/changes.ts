import type { Settable } from './values.ts';

// What a change of a provider means for the people who sign in through it.

/** What the names of people hang on. `clientId`: many providers name a person anew for each client. */
const naming = ['issuer', 'clientId', 'idpEntityId'] as const;

/** Whether the people of a provider are other names there from now on: what they were linked by means nobody any more. */
export const namesAnew = (before: Settable, after: Settable): boolean =>
  naming.some((key) => before[key] !== after[key]) ||
  before.attributeMap['Subject'] !== after.attributeMap['Subject'];

/** What a sign-in is judged by, beside that. */
const judging = [
  'active',
  'idpCertificates',
  'allowIdpInitiated',
  'jit',
  'defaultRoles',
  'groupMappings',
  'attributeMap',
] as const;

/** Whether somebody who signs in might be taken for somebody else, or get something else, from now on. */
export const judgesAnew = (before: Settable, after: Settable): boolean =>
  namesAnew(before, after) ||
  judging.some((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
