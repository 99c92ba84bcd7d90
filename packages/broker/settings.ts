import type { SettingTable } from '@bailiwick/process';

function assertPrefix(prefix: string): void {
  if (!/^[A-Za-z0-9_-]{0,32}$/.test(prefix) || /^(evt|task|bailiwick|_inbox)$/i.test(prefix))
    throw new Error(
      'must be at most 32 letters, digits, hyphens and underscores, and not evt, task or bailiwick',
    );
}

/** The address of the broker. */
export const brokerSettings = {
  natsUrl: {
    env: 'NATS_URL',
    kind: 'url',
    about:
      'The NATS server with JetStream: nats://, or tls:// to require TLS, with user and password if the server needs them. For a CA that the system does not trust, set NODE_EXTRA_CA_CERTS, which is read at the start.',
  },
  natsPrefix: {
    env: 'BAILIWICK_NATS_PREFIX',
    kind: 'text',
    fallback: '',
    check: assertPrefix,
    about:
      'Prefix of all streams and subjects at the NATS server, the same for all processes of an installation. For installations that share a NATS account; an account of its own is better. Empty = none. A change makes new streams: stop all processes first, and only when the streams are empty.',
  },
} as const satisfies SettingTable;
