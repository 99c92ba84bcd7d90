/** This host has no program for a server. */
export class NoProgram extends Error {}

/** No container engine answers. */
export class NoEngine extends Error {}

/** Where a server can come from. */
export type Ways<T> = {
  /** One that the environment names. */
  named?: T | undefined;
  /** A program of this host, or one that was brought along. Throws NoProgram. */
  own(): Promise<T>;
  /** Throws NoEngine. */
  container(): Promise<T>;
};

/** BAILIWICK_INFRA=containers: database and broker in containers, whatever else could be had. */
export const wantsContainers = (environment: Record<string, string | undefined>): boolean =>
  environment['BAILIWICK_INFRA'] === 'containers';

/**
 * The first way that this host has: named, own, container. A server of its own that does not start is a failure and no
 * reason to begin with an empty one elsewhere.
 */
export async function firstWay<T>(
  { named, own, container }: Ways<T>,
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
