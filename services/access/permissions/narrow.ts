import { common } from '@bailiwick/contract';

/** The patterns that a key's narrowing leaves. An empty list narrows nothing. */
export const narrow = (patterns: readonly string[], narrowedTo: readonly string[]): string[] =>
  narrowedTo.length === 0 ? [...patterns] : common(patterns, narrowedTo);
