// Checks untrusted JSON, whose claims end up in rows, events and mails.

/** Deeper than any real provider response. */
const maxLevels = 16;
const unusableKeys: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** The reason to reject parsed JSON, as the end of a sentence; undefined if it is fine. */
export function jsonProblem(value: unknown, level = 0): string | undefined {
  // PostgreSQL cannot store NUL, and protobuf no lone surrogate.
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed()
      ? 'holds a text that cannot be stored'
      : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (level === maxLevels) return 'is nested too deeply';
  if (Object.keys(value).some((key) => unusableKeys.includes(key)))
    return 'holds a name that is not allowed';
  for (const entry of Object.values(value)) {
    const problem = jsonProblem(entry, level + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The JSON object in a body, or undefined for any other body. */
export function parseObject(body: Uint8Array): Record<string, unknown> | undefined {
  const json = parse(body);
  return isObject(json) ? json : undefined;
}

/** The JSON array in a body, or undefined for any other body. */
export function parseArray(body: Uint8Array): unknown[] | undefined {
  const json = parse(body);
  return Array.isArray(json) ? json : undefined;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
