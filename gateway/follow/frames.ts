import { isId } from '@bailiwick/contract';
import type { Question } from './questions.ts';

// The frames of a follower, as docs/follow.md describes them. Named fields are read and all others
// ignored, so that a later version of the protocol may add some.

export type FollowerFrame =
  | { type: 'hello'; credential: string; tenants: readonly string[] | undefined }
  | { type: 'beat'; id: number }
  /** `problem`: the fault of a question, which often comes from a request of the application. */
  | { type: 'ask'; id: number; question: Question | { problem: string } }
  | { type: 'forget'; handles: readonly number[] }
  | { type: 'dropped'; id: number };

export type AnswerFrame = {
  Type: 'answer';
  ID: number;
  Handle?: number;
  LastsMs?: number;
  Value?: unknown;
  Error?: { Code: string; Message: string };
};

export type GatewayFrame =
  | { Type: 'welcome'; Tenants?: readonly string[]; BeatMs: number; IdleBeatMs: number }
  | { Type: 'ok'; ID: number; LeaseMs: number }
  | AnswerFrame
  | { Type: 'drop'; ID: number; Handles: readonly number[] };

/** A frame that is not as the protocol says. Its connection is closed. */
export class BadFrame extends Error {}

/** The most tenants that one follower names. */
const maxTenants = 100;
/** Longer than each id, URL and name of a key. */
const maxText = 2048;
const maxAudiences = 20;

type Fields = Record<string, unknown>;

/** @throws BadFrame */
export function readFrame(text: string): FollowerFrame {
  const fields = readObject(text);
  switch (fields['Type']) {
    case 'hello':
      return {
        type: 'hello',
        credential: textOf(fields, 'Credential'),
        tenants: fields['Tenants'] == null ? undefined : tenantsOf(fields),
      };
    case 'beat':
      return { type: 'beat', id: numberOf(fields['ID']) };
    case 'ask':
      return { type: 'ask', id: numberOf(fields['ID']), question: questionOf(fields) };
    case 'forget':
      return { type: 'forget', handles: listOf(fields, 'Handles').map(numberOf) };
    case 'dropped':
      return { type: 'dropped', id: numberOf(fields['ID']) };
    default:
      throw new BadFrame('Type must be hello, beat, ask, forget or dropped');
  }
}

function questionOf(fields: Fields): Question | { problem: string } {
  try {
    return readQuestion(fields);
  } catch (error) {
    if (error instanceof BadFrame) return { problem: error.message };
    throw error;
  }
}

/** The tenants that a follower names. None would need no permission. */
function tenantsOf(fields: Fields): string[] {
  const tenants = textsOf(fields, 'Tenants', maxTenants);
  if (tenants.length > 0 && tenants.every((tenant) => isId('tnt', tenant))) return tenants;
  throw new BadFrame('Tenants must be IDs of tenants, at least one');
}

/** The question of an `ask`. @throws BadFrame */
export function readQuestion(fields: Fields): Question {
  const { Token: token } = fields;
  if (token == null)
    return {
      kind: 'subject',
      subject: requiredText(fields, 'Subject'),
      tenant: requiredText(fields, 'Tenant'),
    };
  if (!isObject(token)) throw new BadFrame('Token must be an object');
  return {
    kind: 'token',
    subject: requiredText(token, 'Subject'),
    client: requiredText(token, 'Client'),
    session: textOf(token, 'Session'),
    credential: textOf(token, 'Credential'),
    tenant: textOf(token, 'Tenant'),
    audiences: textsOf(token, 'Audience', maxAudiences),
    keyId: requiredText(token, 'KeyID'),
  };
}

function readObject(text: string): Fields {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new BadFrame('a frame must be JSON');
  }
  if (!isObject(json)) throw new BadFrame('a frame must be a JSON object');
  return json;
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A whole number from 1 on. */
function numberOf(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw new BadFrame('an ID or handle must be a whole number from 1 on');
}

/** A field with a text; '' = absent. */
function textOf(fields: Fields, name: string): string {
  const text = fields[name] ?? '';
  if (typeof text === 'string' && text.length <= maxText) return text;
  throw new BadFrame(`${name} must be a string of at most ${maxText} characters`);
}

function requiredText(fields: Fields, name: string): string {
  const text = textOf(fields, name);
  if (text === '') throw new BadFrame(`${name} is required`);
  return text;
}

function listOf(fields: Fields, name: string): readonly unknown[] {
  const list = fields[name] ?? [];
  if (Array.isArray(list)) return list;
  throw new BadFrame(`${name} must be a list`);
}

function textsOf(fields: Fields, name: string, most: number): string[] {
  const list = listOf(fields, name);
  if (list.length > most) throw new BadFrame(`${name} must have at most ${most} items`);
  return list.map((text) => requiredText({ [name]: text }, name));
}
