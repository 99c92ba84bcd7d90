import { ServiceError } from '@bailiwick/errors';

// The parts of a directory's request that are not stored. An administrator can list them.

/** The most parts of one request that are kept. */
const maxParts = 50;
const maxName = 200;
const maxMessage = 300;

/** `message`: why a part was refused; "" = the attribute is not stored. */
export type IntakeNote = { attribute: string; message: string };

/**
 * Collects the parts of a request that are not stored: names only, since a value may be a secret.
 * `leavesOut`: a refused part is left out, instead of the whole request.
 */
export type Intake = {
  readonly leavesOut: boolean;
  readonly notes: IntakeNote[];
  /** The core attributes that have lost a value, or were sent without one. */
  readonly emptied: Set<string>;
};

export const newIntake = (leavesOut = false): Intake => ({
  leavesOut,
  notes: [],
  emptied: new Set(),
});

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Notes an attribute that is not stored, unless it has no value. */
export function noteUnstored({ notes }: Intake, attribute: string, value: unknown): void {
  if (!isEmpty(value)) note(notes, attribute, '');
}

/** Notes a part that is refused. */
export const noteRefused = ({ notes }: Intake, attribute: string, message: string): void =>
  note(notes, attribute, message);

const printable = (text: string, longest: number): string =>
  text.slice(0, longest).replace(/\p{C}/gu, '');

/** A part of a request, in a form for display: without the filter of a path, which holds values. */
export const noteOf = (name: string, message: string): IntakeNote => ({
  attribute: printable(name.replace(/\[.*\]/s, ''), maxName),
  message: printable(message, maxMessage),
});

function note(notes: IntakeNote[], name: string, message: string): void {
  if (notes.length < maxParts) notes.push(noteOf(name, message));
}

/** Reads one part of a request, and leaves it out if it is refused and the request may go on. */
export function readPart(intake: Intake, attribute: string, read: () => void): void {
  try {
    read();
  } catch (thrown) {
    if (!intake.leavesOut || !(thrown instanceof ServiceError)) throw thrown;
    noteRefused(intake, attribute, thrown.message);
  }
}
