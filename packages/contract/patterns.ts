// Evaluates the patterns of our rules with the engine's own regular expressions, which are several
// times as fast as RE2 in JavaScript. RE2 is the reference (patterns.test.ts): the two differ in a
// few constructs, which are translated or refused, and in their worst case. A pattern of ours must be
// linear in both: what may follow a repetition never begins with a character of the repetition.

const compiled = new Map<string, RegExp>();

/** Whether a text matches a pattern of a rule. @throws for a pattern that the two engines could read differently */
export function matches(pattern: string, text: string): boolean {
  let regExp = compiled.get(pattern);
  if (regExp === undefined) compiled.set(pattern, (regExp = compile(pattern)));
  return regExp.test(text);
}

/** A character class, or an escape. */
const classOrEscape = /\[(?:\\.|[^\]\\])*\]|\\./g;
/** No `.`, which means different line ends, and no group that begins with `(?`. */
const plain = /^(?:[\w@/<>"',:;!#%&=~ -]|[\^$)|*+?]|\((?!\?)|\{\d+(?:,\d*)?\})*$/;
/** `\s` is a shorter list in RE2; `\b`, `\pL` and others are not needed. */
const knownEscapes = /\\(?!x[0-9a-f]{2}|u\{[0-9a-f]+\}|[\\.[\]tnfr])/;

function compile(pattern: string): RegExp {
  const translated = pattern
    .replaceAll(/\\x\{([0-9a-f]+)\}/g, '\\u{$1}')
    .replaceAll('[\\s', '[\\t\\n\\f\\r ')
    .replaceAll('\\s', '[\\t\\n\\f\\r ]');
  if (knownEscapes.test(translated) || !plain.test(translated.replaceAll(classOrEscape, 'x')))
    throw new Error(`a rule has a pattern that is not supported: ${pattern}`);
  return new RegExp(translated, 'u');
}
