import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from './caller.ts';

// The client call that the current work belongs to. Calls in a service's own name, queue tasks and
// background work belong to none: no client would see a 429 and retry.

export type ClientCall = {
  /**
   * The caller's id; '' for calls that are not counted by caller: anonymous ones and those with the
   * platform key.
   */
  caller: string;
  /** How long the call waits for turns, as a performance.now() time. Set by its first turn. */
  waitsUntil?: number;
};

/** Decides whether the changes of a call may be committed. */
export type CommitGuard = {
  /**
   * The last step before a commit, or before a single statement that writes. `tenant`: where the
   * change is made, null = in none. The result is called when the commit has ended.
   * @throws ServiceError if the caller's right has ended
   */
  enter(tenant: string | null): Promise<() => void>;
};

/** The caller of a call, for the calls to other services that make its changes. */
export type Behalf = { caller: Caller; work: string };

type Work = {
  client?: ClientCall | undefined;
  guard?: CommitGuard | undefined;
  behalf?: Behalf | undefined;
};

const current = new AsyncLocalStorage<Work>();

/** Runs the work of a call. */
export const inCall = <T>(call: Work, work: () => T): T => current.run(call, work);

/** Runs `work` as part of a client's call; undefined = of none. */
export const inClientCall = <T>(client: ClientCall | undefined, work: () => T): T =>
  current.run({ ...current.getStore(), client }, work);

/** Runs work that several calls share: none of their guards decides about it. */
export const unguarded = <T>(work: () => T): T =>
  current.run({ ...current.getStore(), guard: undefined }, work);

/** The client call that the current work belongs to; undefined = none. */
export const currentClientCall = (): ClientCall | undefined => current.getStore()?.client;

/** The guard of the current call; undefined = of none. */
export const currentGuard = (): CommitGuard | undefined => current.getStore()?.guard;

/** The caller in whose name the current call makes changes; undefined = in none. */
export const currentBehalf = (): Behalf | undefined => current.getStore()?.behalf;

/** The client call of a caller; undefined for a service or a worker. */
export function clientCallOf({ type, id }: Pick<Caller, 'type' | 'id'>): ClientCall | undefined {
  if (type === 'service' || type === 'worker') return undefined;
  return { caller: type === 'user' || type === 'bot' ? id : '' };
}
