import { constants } from 'node:crypto';
import { createSecureContext, type Server, type TlsOptions } from 'node:tls';
import { buildConnector } from 'undici';
import { assertMaterial, type Material } from './certificates.ts';
import { ConfigurationError, readText } from './config.ts';
import type { Log } from './log.ts';
import { watchContent } from './watch.ts';

// TLS between the processes. Both ends show a certificate of the installation's own authority. Every new connection takes what the
// files hold by then; those that are there end by themselves within a minute.

export type Tls = {
  current(): Material;
  /** Calls `take` after each change. What is returned ends that. */
  onChange(take: (material: Material) => void): () => void;
  /** Tells of a connection that came to nothing: of one in ten seconds, since whoever is refused comes again. */
  tell(end: 'a client' | 'a service', error: Error): void;
};

type TlsPaths = { tlsCert: string; tlsKey: string; tlsCa: string };

const tellEveryMs = 10_000;
const handshakeMs = 10_000;
/** All ends are ours. */
const minVersion = 'TLSv1.3';

/** What the settings name; undefined where they name nothing. Throws one error that lists every problem. */
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
    tell: tellSeldom(log),
  };
}

function tellSeldom(log: Log): Tls['tell'] {
  let silentUntil = 0;
  return (end, error) => {
    if (Date.now() < silentUntil) return;
    silentUntil = Date.now() + tellEveryMs;
    log.warn(`no TLS connection with ${end}`, { error: error.message });
  };
}

/** Of a server: it asks for a certificate of the same authority, and takes no connection without one. */
export function serverOptions(tls: Tls): TlsOptions {
  return {
    ...contextOptions(tls.current()),
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout: handshakeMs,
  };
}

// Without resumption every connection looks at the other's certificate anew: they live long, and a handshake takes a millisecond.
const contextOptions = (material: Material) =>
  ({ ...material, minVersion, secureOptions: constants.SSL_OP_NO_TICKET }) as const;

/** Has a server take up what is new, until it is closed. */
export function followTls(server: Server, tls: Tls): void {
  server.once(
    'close',
    tls.onChange((material) => server.setSecureContext(contextOptions(material))),
  );
  server.on('tlsClientError', (error: NodeJS.ErrnoException, { authorizationError: refusal }) => {
    // Of a certificate that was refused this is all that says so. Whoever only connects, as probes do, has shown none.
    if (refusal) tls.tell('a client', new Error(`its certificate is refused: ${String(refusal)}`));
    else if (error.code !== 'ECONNRESET') tls.tell('a client', error);
  });
}

/** A connector for undici. The server's certificate has to name the host that is called. */
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
      if (error && isTlsFailure(error)) tls.tell('a service', error);
      return error ? callback(error, null) : callback(null, socket);
    });
}

/** As opposed to a service that cannot be reached, which is no news. */
const isTlsFailure = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  /^(ERR_(SSL|TLS)_|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_)/.test(code);
