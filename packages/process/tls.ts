import { constants } from 'node:crypto';
import { createSecureContext, type Server, type TlsOptions } from 'node:tls';
import { buildConnector } from 'undici';
import { assertMaterial, type Material } from './certificates.ts';
import { ConfigurationError, readText } from './settings/config.ts';
import { watchContent } from './settings/watch.ts';
import type { Log } from './telemetry/log.ts';

// Mutual TLS between the processes. Both ends show a certificate of the installation's own
// authority. Every new connection uses the current files; older connections end by themselves
// within a minute.

/** The current certificate of this process, with its key and authorities. */
export type Tls = {
  current(): Material;
  /** Calls `take` after each change. The returned function unsubscribes. */
  onChange(take: (material: Material) => void): () => void;
  /** Logs a failed connection, at most once in ten seconds, since a rejected client retries. */
  reportFailure(end: 'a client' | 'a service', error: Error): void;
};

type TlsPaths = { tlsCert: string; tlsKey: string; tlsCa: string };

const reportEveryMs = 10_000;
const handshakeMs = 10_000;
/** Both ends are ours, so no older version is needed. */
const minVersion = 'TLSv1.3';

/**
 * Opens TLS with the configured files; undefined if none are configured. @throws ConfigurationError
 * listing every problem
 */
export function openTls({ tlsCert, tlsKey, tlsCa }: TlsPaths, log: Log): Tls | undefined {
  const paths = {
    BAILIWICK_TLS_CERT_FILE: tlsCert,
    BAILIWICK_TLS_KEY_FILE: tlsKey,
    BAILIWICK_TLS_CA_FILE: tlsCa,
  };
  const missing = Object.entries(paths).flatMap(([name, path]) => (path === '' ? [name] : []));
  if (missing.length === 3) return undefined;
  if (missing.length > 0)
    throw new ConfigurationError(
      missing.map((name) => `${name} is required: TLS between the services needs all three files`),
    );
  const read = (): Material => ({
    cert: readText(tlsCert),
    key: readText(tlsKey),
    ca: readText(tlsCa),
  });
  let material = read();
  try {
    assertMaterial(material);
  } catch (error) {
    throw new ConfigurationError([`${Object.keys(paths).join(', ')} ${(error as Error).message}`]);
  }
  const followers = new Set<(material: Material) => void>();
  watchContent({
    what: `the certificate ${tlsCert}`,
    content: material,
    read,
    log,
    take(content) {
      assertMaterial(content);
      material = content;
      for (const follow of followers) follow(content);
    },
  });
  return {
    current: () => material,
    onChange(take) {
      followers.add(take);
      return () => followers.delete(take);
    },
    reportFailure: createReporter(log),
  };
}

function createReporter(log: Log): Tls['reportFailure'] {
  let silentUntil = 0;
  return (end, error) => {
    if (Date.now() < silentUntil) return;
    silentUntil = Date.now() + reportEveryMs;
    log.warn(`TLS connection with ${end} failed`, { error: error.message });
  };
}

/** Options of a server that requires a client certificate of the same authority. */
export function serverOptions(tls: Tls): TlsOptions {
  return {
    ...contextOptions(tls.current()),
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout: handshakeMs,
  };
}

// Without resumption every connection verifies the certificate again: connections live long, and a
// handshake takes a millisecond.
const contextOptions = (material: Material) =>
  ({ ...material, minVersion, secureOptions: constants.SSL_OP_NO_TICKET }) as const;

/** Applies reloaded certificates to a server, until it is closed. */
export function followTls(server: Server, tls: Tls): void {
  server.once(
    'close',
    tls.onChange((material) => server.setSecureContext(contextOptions(material))),
  );
  server.on('tlsClientError', (error: NodeJS.ErrnoException, { authorizationError: refusal }) => {
    // The only report of a rejected certificate. Clients that only connect, such as probes, show
    // none.
    if (refusal)
      tls.reportFailure('a client', new Error(`certificate rejected: ${String(refusal)}`));
    else if (error.code !== 'ECONNRESET') tls.reportFailure('a client', error);
  });
}

/** A connector for undici. The server's certificate must contain the host name of the call. */
export function tlsConnector(tls: Tls, timeout: number): buildConnector.connector {
  const build = (material: Material) =>
    buildConnector({
      timeout,
      allowH2: false,
      maxCachedSessions: 0,
      secureContext: createSecureContext(contextOptions(material)),
    });
  let connect = build(tls.current());
  tls.onChange((material) => (connect = build(material)));
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error && isTlsFailure(error)) tls.reportFailure('a service', error);
      return error ? callback(error, null) : callback(null, socket);
    });
}

/** Whether TLS failed. An unreachable service is not logged here. */
const isTlsFailure = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  /^(ERR_(SSL|TLS)_|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_)/.test(code);
