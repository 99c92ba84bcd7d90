import { toServiceError } from '@bailiwick/errors';
import { writable } from './people.ts';
import { type IntakeNote, noteOf } from './protocol/intake.ts';
import { canonical, type Resource } from './protocol/resource.ts';
import type { PersonRow } from './queries.ts';
import type { PersonChange } from './read-person.ts';

/** Whether a failure is about the request, and not about a service that is away. */
export const isRefusal = (thrown: unknown): boolean =>
  !['unavailable', 'internal'].includes(toServiceError(thrown).code);

/** The attributes for which a request can be refused: another person has them, or the account. */
const refusable = [[], ['emails'], ['userName'], ['emails', 'userName']];

/**
 * Deactivates a person, with as much of the rest of the request as is not refused. If identity is
 * away, the person is deactivated and the request fails, so that the directory repeats it.
 *
 * @param apply stores a change in one transaction; false if another process was faster
 */
export async function deactivate(
  stored: PersonRow,
  { resource, notes, emptied }: PersonChange,
  apply: (change: PersonChange) => Promise<boolean>,
): Promise<boolean> {
  const { active: _, ...present } = writable(stored);
  const applyNext = (next: Resource, message: string) =>
    apply({
      resource: next,
      requestedActive: false,
      notes: [...notes, ...refusalNotes(resource, next, message)],
      emptied,
    });
  const variants = [
    ...refusable.map((names) => withPresentValues(resource, present, names)),
    present,
  ];
  const tried = new Set<string>();
  let message = '';
  let last: unknown;
  for (const variant of variants) {
    const key = canonical(variant);
    if (tried.has(key)) continue;
    tried.add(key);
    try {
      return await applyNext(variant, message);
    } catch (thrown) {
      const { code, message: refusal } = toServiceError(thrown);
      if (!isRefusal(thrown)) {
        if (key !== canonical(present)) await applyNext(present, code);
        throw thrown;
      }
      message ||= refusal;
      last = thrown;
    }
  }
  throw last;
}

/** A resource with the present values of some attributes. */
function withPresentValues(
  resource: Resource,
  present: Resource,
  names: readonly string[],
): Resource {
  const others = Object.entries(resource).filter(([name]) => !names.includes(name));
  const presentEntries = Object.entries(present).filter(([name]) => names.includes(name));
  return Object.fromEntries([...others, ...presentEntries]);
}

/** The attributes of a request whose values are not those that are stored. */
function refusalNotes(resource: Resource, stored: Resource, message: string): IntakeNote[] {
  const names = new Set([...Object.keys(resource), ...Object.keys(stored)]);
  const isChanged = (name: string) =>
    canonical(resource[name] ?? '') !== canonical(stored[name] ?? '');
  return [...names].filter(isChanged).map((name) => noteOf(name, message));
}
