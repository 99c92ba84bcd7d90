import { type Problem, problem } from '@bailiwick/errors';

// The body of an application's event.

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a body without problems. */
export const textOf = (body: Uint8Array): string => utf8.decode(body);

/** The problems of a body. An absent one has another. */
export const bodyProblems = (body: Uint8Array): Problem[] =>
  body.length === 0 || isObject(body)
    ? []
    : [problem('Body', 'custom', 'must be a JSON object in UTF-8')];

function isObject(body: Uint8Array): boolean {
  try {
    const json: unknown = JSON.parse(textOf(body));
    return typeof json === 'object' && json !== null && !Array.isArray(json);
  } catch {
    // One message covers every defect: it says what the body must be.
    return false;
  }
}
