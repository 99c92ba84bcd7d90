import { createHash } from 'node:crypto';

/** The hash under which a record of the OpenID provider is stored: its own id may be a token. */
export const recordHash = (...parts: string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex');

/** Finds the codes and tokens that an app got from a session. */
export const signInHash = (sessionId: string, app: string): string =>
  recordHash('uid', `${sessionId} ${app}`);
