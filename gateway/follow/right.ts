import type { Loaded, RightsCache } from '@bailiwick/broker';
import { denied, toServiceError } from '@bailiwick/errors';
import type { Log } from '@bailiwick/process';
import { credentialName } from '../session/authenticate.ts';
import type { FollowerFrame } from './frames.ts';
import type { FollowerHolder } from './holder.ts';
import { lendSoon } from './lend.ts';
import { closeCodes } from './link.ts';
import type { Scope } from './scope.ts';

// The right to follow: the answer about it is lent like any other, so that its end closes the
// connection before the reply of the call that ends it.

export type LoadScope = (
  token: string,
  ip: string,
  tenants: readonly string[] | undefined,
) => Promise<Loaded<Scope>>;

type Hello = Pick<Extract<FollowerFrame, { type: 'hello' }>, 'credential' | 'tenants'>;

/** An answer without a time of its own is confirmed no more often than this. */
const soonestMs = 100;

type Options = {
  rightsCache: Pick<RightsCache, 'lend'>;
  loadScope: LoadScope;
  holder: FollowerHolder;
  ip: string;
  log: Log;
};

/** Keeps the right of one follower. `confirm` throws if it has none. */
export function createRight({ rightsCache, loadScope, holder, ip, log }: Options) {
  let timer: NodeJS.Timeout | undefined;

  async function confirm(hello: Hello): Promise<Scope> {
    const { credential, tenants } = hello;
    const name = `follower ${credentialName(credential)} ${tenants?.join(' ') ?? '*'}`;
    const load = () => loadScope(credential, ip, tenants);
    return lendSoon(rightsCache, name, load, (scope, terms) => {
      if (!scope.serves(ip)) throw denied('the credential is not for this address');
      if (holder.isEnding()) return scope;
      holder.setRight(terms, scope.ownTenant);
      const again = () => void confirm(hello).catch(refuse);
      timer = setTimeout(again, Math.max(soonestMs, terms.lastsMs));
      return scope;
    });
  }

  /** Ends a connection whose right to follow is not confirmed. */
  function refuse(thrown: unknown): void {
    const [code, reason] = closeOf(thrown);
    if (code === closeCodes.tryLater)
      log.warn('the right of a follower cannot be confirmed', { error: thrown });
    void holder.end(code, reason);
  }

  return { confirm, refuse, stop: (): void => clearTimeout(timer) };
}

function closeOf(thrown: unknown): [code: number, reason: string] {
  const { code, message } = toServiceError(thrown);
  if (code === 'unauthenticated')
    return [closeCodes.unauthenticated, 'the credential is not valid'];
  if (code === 'permission_denied') return [closeCodes.denied, message];
  return [closeCodes.tryLater, 'the credential cannot be confirmed now'];
}
