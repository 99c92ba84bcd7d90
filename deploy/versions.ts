/**
 * The infrastructure versions that this release is tested with. The local start, the tests'
 * containers and the chart's evaluation install all use them, so that they cannot drift apart.
 */

/** nats-server: the version that `go install` builds, and the tag of the image. */
export const natsVersion = '2.15.2';

/**
 * The oldest accepted nats-server of the host: the processes refuse an older one
 * (packages/broker/broker.ts).
 */
export const oldestNats = '2.10.0';

/** Deno: the npm package to fetch if the host has none. */
export const denoVersion = '2.9.6';

/** The oldest accepted Deno of the host. */
export const oldestDeno = '2.9.0';

/** PostgreSQL: the major version of the embedded binaries and of the image. */
export const postgresMajor = 18;

export const images = {
  nats: `nats:${natsVersion}-alpine`,
  postgres: `postgres:${postgresMajor}-alpine`,
} as const;
