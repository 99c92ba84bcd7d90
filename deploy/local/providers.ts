/** The host has no program for a server. */
export class NoProgram extends Error {}

/** No container engine answers. */
export class NoEngine extends Error {}

/** The sources of a server, in order of preference. */
export type Providers<T> = {
  /** A server that the environment names. */
  named?: T | undefined;
  /** A program of this host, or one that the package ships. Throws NoProgram. */
  own(): Promise<T>;
  /** Throws NoEngine. */
  container(): Promise<T>;
};

/**
 * BAILIWICK_INFRA=containers: database and broker in containers, even if other providers are
 * available.
 */
export const wantsContainers = (environment: Record<string, string | undefined>): boolean =>
  environment['BAILIWICK_INFRA'] === 'containers';

/**
 * Returns the server of the first available provider: named, own, container. If the host's own
 * server fails to start, that is an error and not a reason to begin with an empty one elsewhere.
 */
export async function firstProvider<T>(
  { named, own, container }: Providers<T>,
  onlyContainers: boolean,
): Promise<T> {
  if (onlyContainers) return container();
  if (named !== undefined) return named;
  try {
    return await own();
  } catch (lacking) {
    if (!(lacking instanceof NoProgram)) throw lacking;
    return container().catch((error: unknown) =>
      Promise.reject(error instanceof NoEngine ? lacking : error),
    );
  }
}
