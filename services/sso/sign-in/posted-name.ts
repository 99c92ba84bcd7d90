import { Buffer } from 'node:buffer';
import { isObject, jsonProblem, parseObject } from '../oidc/json.ts';
import type { ProviderValues } from '../providers/api-record.ts';
import type { Person } from './person.ts';

/**
 * Apple sends the user's name only with the first answer, in the form field `user` beside it. The
 * browser could have changed that field, so nothing but the name counts, and the signed claims take
 * precedence.
 */
export function withPostedName(
  person: Person,
  { preset }: Pick<ProviderValues, 'preset'>,
  { user = '' }: Readonly<Record<string, string>>,
): Person {
  if (preset !== 'apple') return person;
  const posted = parseObject(Buffer.from(user));
  if (!isObject(posted?.['name']) || jsonProblem(posted) !== undefined) return person;
  const { firstName, lastName } = posted['name'];
  const [givenName, familyName] = [firstName, lastName].map((part) =>
    typeof part === 'string' ? part.trim() : '',
  ) as [string, string];
  return {
    ...person,
    givenName: person.givenName || givenName,
    familyName: person.familyName || familyName,
    name: person.name || `${givenName} ${familyName}`.trim(),
  };
}
