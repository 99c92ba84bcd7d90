import { readFile } from 'node:fs/promises';
import { unavailable } from '@bailiwick/errors';
import type { VaultToken } from './vault-calls.ts';

// Obtains the Vault token: from a file that another process renews, or by the pod's own identity.

/** The file is reloaded after this time: Vault's agent, or another writer, replaces the token. */
const fileMs = 60_000;

/** Reads the token from a file. */
export const tokenFromFile = (file: string): VaultToken =>
  cached(async () => {
    const token = (await readFile(file, 'utf8').catch(() => '')).trim();
    if (token === '')
      throw Object.assign(unavailable(), {
        cause: new Error(`there is no token for the key service in ${file}`),
      });
    return { token, forMs: fileMs };
  });

type Kubernetes = { mount: string; role: string; jwtFile: string };

/**
 * Obtains a token for the pod's service account, by Vault's Kubernetes auth method. It is renewed
 * after two thirds of its lifetime.
 */
export const tokenFromKubernetes = ({ mount, role, jwtFile }: Kubernetes): VaultToken =>
  cached(async (send) => {
    const jwt = (await readFile(jwtFile, 'utf8').catch(() => '')).trim();
    const { status, body } = await send({
      method: 'POST',
      path: `auth/${mount}/login`,
      body: { role, jwt },
    });
    const { client_token: token, lease_duration: seconds } = (body['auth'] ?? {}) as Record<
      string,
      unknown
    >;
    if (status !== 200 || typeof token !== 'string' || typeof seconds !== 'number')
      throw Object.assign(unavailable(), {
        cause: new Error(
          `the key service refuses the sign-in of the role ${role}: status ${status}`,
        ),
      });
    return { token, forMs: seconds === 0 ? Number.POSITIVE_INFINITY : (seconds * 1000 * 2) / 3 };
  });

type Obtain = (
  send: Parameters<VaultToken['obtain']>[0],
) => Promise<{ token: string; forMs: number }>;

/** Concurrent callers share one request. A failure is not cached. */
function cached(obtain: Obtain): VaultToken {
  let stored: { token: Promise<string>; until: number } | undefined;
  const forget = () => (stored = undefined);
  return {
    forget,
    obtain(send) {
      if (stored && stored.until > Date.now()) return stored.token;
      const current = { token: Promise.resolve(''), until: Number.POSITIVE_INFINITY };
      current.token = obtain(send).then(({ token, forMs }) => {
        current.until = Date.now() + forMs;
        return token;
      });
      stored = current;
      current.token.catch(forget);
      return current.token;
    },
  };
}
