import { writable } from './people.ts';
import { type Intake, type IntakeNote, newIntake, noteRefused } from './protocol/intake.ts';
import { invalidValue } from './protocol/problems.ts';
import { canonical, type Resource, readResource } from './protocol/resource.ts';
import { userType } from './protocol/schemas.ts';
import type { PersonRow } from './queries.ts';

// Reads a person as a directory wants it. A request that deactivates the person is read without
// its unknown and invalid parts: nothing else in it keeps a leaver active.

const maxResource = 32 * 1024;

/** The attributes that the directory wants, from the present ones. */
export type NextPerson = (present: Resource, intake: Intake) => unknown;

/**
 * `requestedActive`: the value of active in the request; undefined = the request has none. `notes`: the
 * parts of the request that are not stored. `emptied`: the attributes that have lost a value.
 */
export type PersonChange = {
  resource: Resource;
  requestedActive: boolean | undefined;
  notes: readonly IntakeNote[];
  emptied: ReadonlySet<string>;
};

export const readNewPerson = (body: unknown): PersonChange =>
  readRequest((intake) => readPerson(body, intake));

export function readChange(stored: PersonRow, next: NextPerson): PersonChange {
  // Without the present value, active is there only if the request has it.
  const { active: _, ...present } = writable(stored);
  return readRequest((intake) => readPerson(next(present, intake), intake, present));
}

function readRequest(read: (intake: Intake) => Resource): PersonChange {
  try {
    return withoutActive(read, newIntake());
  } catch (refusal) {
    const change = readWithNotes(read);
    if (change?.requestedActive !== false) throw refusal;
    return change;
  }
}

function readWithNotes(read: (intake: Intake) => Resource): PersonChange | undefined {
  try {
    return withoutActive(read, newIntake(true));
  } catch {
    return undefined;
  }
}

function withoutActive(read: (intake: Intake) => Resource, intake: Intake): PersonChange {
  const { active, ...resource } = read(intake);
  const { notes, emptied } = intake;
  const requestedActive = active === undefined ? undefined : active === true;
  return { resource, requestedActive, notes, emptied };
}

function readPerson(body: unknown, intake: Intake, stored?: Resource): Resource {
  const resource = readResource(userType, body, intake, stored);
  if (canonical(resource).length <= maxResource) return resource;
  const message = `a User must have at most ${maxResource / 1024} KiB`;
  const { active } = resource;
  if (!intake.leavesOut || !stored || active === undefined) throw invalidValue(message);
  noteRefused(intake, 'User', message);
  return { ...stored, active };
}
