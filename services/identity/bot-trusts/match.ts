import type { BotTrustRow } from '../bots/entities.ts';

type Rule = Pick<BotTrustRow, 'issuer' | 'audience' | 'subject' | 'claims'>;

/**
 * Whether the claims of a verified token match a trust: the issuer and one audience exactly, the
 * subject and each further claim exactly or by the characters before a trailing "*". A claim that is
 * not a text matches nothing.
 */
export function matchesTrust(
  { issuer, audience, subject, claims }: Rule,
  token: Readonly<Record<string, unknown>>,
): boolean {
  const { iss, aud, sub } = token;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return (
    iss === issuer &&
    audiences.includes(audience) &&
    matches(subject, sub) &&
    Object.entries(claims).every(([name, pattern]) => matches(pattern, token[name]))
  );
}

function matches(pattern: string, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return pattern.endsWith('*') ? value.startsWith(pattern.slice(0, -1)) : value === pattern;
}
