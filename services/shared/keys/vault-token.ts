import { readFile } from 'node:fs/promises';
import { unavailable } from '../errors.ts';
import type { VaultAnswer, VaultRequest } from './vault-calls.ts';

// The token that Vault asks for: from a file that somebody else keeps fresh, or for the pod's own identity.

export type VaultToken = {
  /** The token to send. `send` makes a call without one. */
  obtain(send: (request: VaultRequest) => Promise<VaultAnswer>): Promise<string>;
  /** Has it read or asked for again: it was refused. */
  forget(): void;
};

/** A file is read again after this time: Vault's agent, or whoever writes it, replaces the token in it. */
const fileMs = 60_000;

/** A token in a file. */
export const tokenFromFile = (file: string): VaultToken =>
  remembered(async () => {
    const token = (await readFile(file, 'utf8').catch(() => '')).trim();
    if (token === '')
      throw Object.assign(unavailable(), {
        cause: new Error(`there is no token for the key service in ${file}`),
      });
    return { token, forMs: fileMs };
  });

type Kubernetes = { mount: string; role: string; jwtFile: string };

/** A token for a pod's service account, by Vault's Kubernetes auth method. Asked for again when two thirds of its time are over. */
export const tokenFromKubernetes = ({ mount, role, jwtFile }: Kubernetes): VaultToken =>
  remembered(async (send) => {
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

/** One is obtained for all who wait, and a failure is not kept. */
function remembered(obtain: Obtain): VaultToken {
  let held: { token: Promise<string>; until: number } | undefined;
  const forget = () => (held = undefined);
  return {
    forget,
    obtain(send) {
      if (held && held.until > Date.now()) return held.token;
      const current = { token: Promise.resolve(''), until: Number.POSITIVE_INFINITY };
      current.token = obtain(send).then(({ token, forMs }) => {
        current.until = Date.now() + forMs;
        return token;
      });
      held = current;
      current.token.catch(forget);
      return current.token;
    },
  };
}
