/**
 * The infrastructure this release is tested with. The local start, the containers used by tests and the chart's
 * evaluation install read the same lines, so that they cannot drift apart.
 */

/** nats-server: what `go install` builds, and the tag of the image. */
export const natsVersion = '2.15.2';

/** The oldest nats-server that is accepted when the host already has one (Debian 12 ships 2.9.10). */
export const oldestNats = '2.9.0';

/** Deno: the npm package that is fetched where the host has none. */
export const denoVersion = '2.9.6';

/** The oldest Deno of the host's own that is accepted. */
export const oldestDeno = '2.9.0';

/** PostgreSQL: the major version of the embedded binaries and of the image. */
export const postgresMajor = 18;

export const images = {
  nats: `nats:${natsVersion}-alpine`,
  postgres: `postgres:${postgresMajor}-alpine`,
} as const;
