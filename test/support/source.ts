// A minimal TypeScript lexer that separates code, strings and comments. TypeScript 7 has no stable
// API for it.

export type Token = { kind: 'code' | 'text' | 'comment' | 'pattern'; text: string; start: number };

/** Splits a source text into tokens. A template literal is one token. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let from = 0;
  const push = (kind: Token['kind'], end: number) => {
    if (end > from) tokens.push({ kind, text: source.slice(from, end), start: from });
    from = end;
  };
  for (let at = 0; at < source.length; ) {
    const end = endOfText(source, at) ?? endOfComment(source, at) ?? endOfPattern(source, at);
    if (end === undefined) at++;
    else {
      push('code', at);
      push(kindOf(source, at), end);
      at = end;
    }
  }
  push('code', source.length);
  return tokens;
}

/** The code without comments and regular expressions, and with empty strings. */
export function codeOf(source: string): string {
  return tokensOf(source)
    .map(({ kind, text }) => (kind === 'code' ? text : kind === 'text' ? "''" : ' '))
    .join('');
}

function kindOf(source: string, at: number): Token['kind'] {
  if (source[at] !== '/') return 'text';
  return source[at + 1] === '/' || source[at + 1] === '*' ? 'comment' : 'pattern';
}

function endOfText(source: string, start: number): number | undefined {
  const quote = source[start];
  if (quote !== "'" && quote !== '"' && quote !== '`') return undefined;
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === quote) return at + 1;
    else if (quote === '`' && source.startsWith('${', at)) at = endOfSubstitution(source, at + 2);
  }
  return source.length;
}

/** The index of the brace that closes a substitution. */
function endOfSubstitution(source: string, start: number): number {
  for (let at = start, depth = 0; at < source.length; at++) {
    const inner = endOfText(source, at);
    if (inner !== undefined) at = inner - 1;
    else if (source[at] === '{') depth++;
    else if (source[at] === '}' && depth-- === 0) return at;
  }
  return source.length;
}

function endOfComment(source: string, start: number): number | undefined {
  if (source[start] !== '/') return undefined;
  if (source[start + 1] !== '/' && source[start + 1] !== '*') return undefined;
  const [close, length] = source[start + 1] === '/' ? ['\n', 0] : ['*/', 2];
  const end = source.indexOf(close, start + 2);
  return end < 0 ? source.length : end + length;
}

/** A slash starts a regular expression after an operator, a bracket or one of these keywords. */
function endOfPattern(source: string, start: number): number | undefined {
  if (source[start] !== '/') return undefined;
  const before = source.slice(Math.max(0, start - 40), start).trimEnd();
  if (
    before !== '' &&
    !/[(,=:[!&|?{};<>+*%~^-]$|\b(return|typeof|case|in|of|await|yield)$/.test(before)
  )
    return undefined;
  for (let at = start + 1, inClass = false; at < source.length; at++) {
    const character = source[at];
    if (character === '\n') return undefined;
    if (character === '\\') at++;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    else if (character === '/' && !inClass) return at + 1;
  }
  return undefined;
}
