import type { StateFields } from './state.ts';

// The frames of the gateway, as docs/follow.md describes them. Unknown fields are ignored.

export type AnswerFrame = {
  Type: 'answer';
  ID: number;
  /** Absent in the answer to a plain call. */
  Handle: number | undefined;
} & Answer;

export type Answer =
  | { LastsMs: number; Value: StateFields; Error?: undefined }
  | { Error: { Code: string; Message: string } };

export type Frame =
  | { Type: 'welcome'; BeatMs: number; IdleBeatMs: number }
  | { Type: 'ok'; ID: number; LeaseMs: number }
  | AnswerFrame
  | { Type: 'drop'; ID: number; Handles: number[] };

/** No gateway sends a frame with more characters. */
const maxLength = 8 << 20;
const minBeatMs = 10;
const maxBeatMs = 60_000;

type Fields = Record<string, unknown>;

/** Undefined if this is no frame of a gateway. */
export function readFrame(message: unknown): Frame | undefined {
  const fields = fieldsIn(message);
  if (!fields) return undefined;
  const { Type, ID } = fields;
  if (Type === 'welcome') return readWelcome(fields);
  if (!isWhole(ID)) return undefined;
  if (Type === 'ok') {
    const { LeaseMs } = fields;
    return isTime(LeaseMs) ? { Type, ID, LeaseMs } : undefined;
  }
  if (Type === 'drop') {
    const { Handles } = fields;
    return isList(Handles, isWhole) ? { Type, ID, Handles } : undefined;
  }
  if (Type !== 'answer') return undefined;
  const { Handle } = fields;
  const answer = 'LastsMs' in fields || 'Error' in fields ? readAnswer(fields) : undefined;
  if (!answer || (Handle !== undefined && !isWhole(Handle))) return undefined;
  return { Type, ID, Handle, ...answer };
}

/** Reads the content of an answer. The answer to a plain call has no time. Undefined for other fields. */
export function readAnswer(fields: Fields): Answer | undefined {
  const { Error: error, LastsMs = Number.MAX_VALUE, Value } = fields;
  if (isFields(error)) {
    const { Code, Message = '' } = error;
    return typeof Code === 'string' && typeof Message === 'string'
      ? { Error: { Code, Message } }
      : undefined;
  }
  if (!isTime(LastsMs) || !isFields(Value) || !isState(Value)) return undefined;
  return { LastsMs, Value };
}

/** The fields of a JSON object. */
export function fieldsIn(message: unknown): Fields | undefined {
  if (typeof message !== 'string' || message.length > maxLength) return undefined;
  try {
    const fields: unknown = JSON.parse(message);
    return isFields(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}

function readWelcome({ BeatMs, IdleBeatMs }: Fields): Frame | undefined {
  const isBeat = (ms: unknown): ms is number => isTime(ms) && ms >= minBeatMs && ms <= maxBeatMs;
  return isBeat(BeatMs) && isBeat(IdleBeatMs) ? { Type: 'welcome', BeatMs, IdleBeatMs } : undefined;
}

function isState(fields: Fields): fields is StateFields {
  const { Scopes = [], Sets = [], Grants = {} } = fields;
  const isText = (one: unknown): one is string => typeof one === 'string';
  if (!isList(Scopes, isText) || !isList(Sets, (set) => isList(set, isText))) return false;
  // A set that is missing is no permission, but an answer with one is not understood.
  const isIndex = (one: unknown): one is number => isWhole(one) && one < Sets.length;
  return isFields(Grants) && Object.values(Grants).every((indexes) => isList(indexes, isIndex));
}

const isFields = (one: unknown): one is Fields =>
  typeof one === 'object' && one !== null && !Array.isArray(one);

const isList = <Element>(
  list: unknown,
  isElement: (one: unknown) => one is Element,
): list is Element[] => Array.isArray(list) && list.every(isElement);

const isWhole = (one: unknown): one is number => Number.isSafeInteger(one) && Number(one) >= 0;

const isTime = (one: unknown): one is number =>
  typeof one === 'number' && Number.isFinite(one) && one >= 0;
