import type { VerifiedToken } from '../verifier.ts';
import { createMatchers } from './patterns.ts';
import { hostPlatform, type Platform } from './platform.ts';
import { type Question, questionOf, subjectQuestion } from './question.ts';
import { createRights, type Rights, type TokenLimits } from './rights.ts';
import { type FollowerState, openRoute } from './route.ts';

// Keeps sign-ins and grants in memory, as docs/follow.md describes it: an entry is dropped before
// Bailiwick replies to the call that ends it.

export type FollowerOptions = {
  /** The public URL of Bailiwick. */
  url: string;
  /** The key of a bot with iam.rights.follow. */
  credential: string;
  /** The tenants to follow, `tnt_…`. By default all that the credential may follow. */
  tenants?: readonly string[] | undefined;
  /** The most answers in memory, at most 19,000. Default: 10,000. */
  maxEntries?: number | undefined;
  /** Whether `can` throws or answers false when the answer is no longer known. Default: throw. */
  onUnavailable?: 'deny' | 'throw' | undefined;
  /** Hears of a refused credential and of a refused WebSocket. Default: console.warn. */
  log?: ((message: string) => void) | undefined;
};

export type Follower = {
  /**
   * The rights of a verified token, within its scope and its tenant. They do not end with the
   * token's `exp`, so verify the token of each request.
   * @throws InvalidTokenError if the token has ended; UnavailableError if it cannot be known
   */
  rights(token: VerifiedToken): Promise<Rights>;
  /**
   * All rights of a user or bot in a tenant, for questions about others. A request's own rights are
   * those of its token.
   * @throws TypeError if one is no ID; UnavailableError if they cannot be known
   */
  rightsOf(subject: string, tenant: string): Promise<Rights>;
  /** For `verifier`. @throws InvalidTokenError if the token has ended; UnavailableError */
  confirm(token: VerifiedToken): Promise<void>;
  readonly state: FollowerState;
  /** Waits until questions can be answered. @throws UnavailableError after three seconds */
  ready(): Promise<void>;
  /** Ends the connection, and with it all entries and each `Rights`. */
  close(): void;
};

/** The gateway's limit is 20,000; the rest is for entries that are being forgotten. */
const mostEntries = 19_000;

/**
 * Creates a follower. Create one for the process, and close it when the process ends.
 * @example const bailiwick = follower({ url: 'https://id.example.com', credential });
 */
export const follower = (options: FollowerOptions): Follower =>
  createFollower(options, hostPlatform());

export function createFollower(options: FollowerOptions, platform: Platform): Follower {
  const { url, credential, tenants, maxEntries = 10_000, onUnavailable = 'throw' } = options;
  const { log = (message: string) => console.warn(message) } = options;
  if (credential === '') throw new TypeError('credential is required');
  if (!Number.isInteger(maxEntries) || maxEntries < 1 || maxEntries > mostEntries)
    throw new TypeError(`maxEntries must be a whole number from 1 to ${mostEntries}`);
  const matchers = createMatchers();
  const route = openRoute({ url, credential, tenants, maxEntries, log, platform, matchers });
  const { questions } = route;

  async function rightsAbout(question: Question, limits?: TokenLimits): Promise<Rights> {
    const load = () => questions.currentEntry(question);
    const { clock } = platform;
    return createRights({ clock, entry: await load(), load, limits, onUnavailable });
  }

  return {
    async rights(token) {
      const { sub, client_id: clientId, sid, credential, scope = '' } = token;
      // The token of a bot has a credential, and is not decided by its scope alone.
      const isOfService = sub === clientId && sid === undefined && credential === undefined;
      const limits = { scope: matchers(scope.split(' ')), isOfService };
      return await rightsAbout(questionOf(token), limits);
    },
    async rightsOf(subject, tenant) {
      return await rightsAbout(subjectQuestion(subject, tenant));
    },
    async confirm(token) {
      await questions.currentEntry(questionOf(token));
    },
    get state() {
      return route.state();
    },
    ready: route.ready,
    close: route.close,
  };
}
