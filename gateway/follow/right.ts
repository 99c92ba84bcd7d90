import type { Loaded, RightsCache } from '@bailiwick/broker';
import { denied, toServiceError, unauthenticated } from '@bailiwick/errors';
import type { Log } from '@bailiwick/process';
import type { FollowerFrame } from './frames.ts';
import type { FollowerHolder } from './holder.ts';
import { lendSoon } from './lend.ts';
import { closeCodes } from './link.ts';
import { listOf, nameOfScope, type Scope } from './scope.ts';

// The right to follow: the answer about it is lent like any other, so that its end closes the
// connection before the reply of the call that ends it.

export type LoadScope = (
  token: string,
  ip: string,
  tenants: readonly string[] | undefined,
) => Promise<Loaded<Scope>>;

type Hello = Pick<Extract<FollowerFrame, { type: 'hello' }>, 'credential' | 'tenants'>;

/** The shortest time between two confirmations. */
const soonestMs = 100;

type Options = {
  rightsCache: Pick<RightsCache, 'lend' | 'leaseLeftMs'>;
  loadScope: LoadScope;
  holder: FollowerHolder;
  ip: string;
  log: Log;
};

/**
 * Keeps the right of one follower. Its end closes the connection: by a revocation, and with the next
 * confirmation, which is due when its time ends, or with the next question after a lapse.
 */
export function createRight({ rightsCache, loadScope, holder, ip, log }: Options) {
  let timer: NodeJS.Timeout | undefined;
  let tenants: string | undefined;
  let confirm: (() => Promise<Scope>) | undefined;
  let confirmation: Promise<Scope> | undefined;

  async function load({ credential, tenants: named }: Hello): Promise<Scope> {
    const loader = () => loadScope(credential, ip, named);
    return lendSoon(rightsCache, nameOfScope(credential, named), loader, (scope, terms) => {
      if (!scope.serves(ip)) throw denied('the credential is not for this address');
      tenants ??= listOf(scope.tenants);
      if (tenants !== listOf(scope.tenants)) throw denied('it may follow other tenants now');
      if (holder.isEnding()) return scope;
      holder.setRight(terms, scope.ownTenant);
      clearTimeout(timer);
      timer = setTimeout(confirmAgain, Math.max(soonestMs, terms.lastsMs));
      return scope;
    });
  }

  /** From now on the right is not known, until it is confirmed again. */
  const lapse = (): void => void (confirmation = undefined);

  function confirmAgain(): void {
    lapse();
    void current().catch(() => {});
  }

  /** The right as it is now. @throws what `loadScope` throws, and then the connection ends */
  function current(): Promise<Scope> {
    if (!confirmation) {
      confirmation = confirm?.() ?? Promise.reject(unauthenticated());
      confirmation.catch(refuse);
    }
    return confirmation;
  }

  /** Ends a connection whose right to follow is not confirmed. */
  function refuse(thrown: unknown): void {
    const [code, reason] = closeOf(thrown);
    if (code === closeCodes.tryLater)
      log.warn('the right of a follower cannot be confirmed', { error: thrown });
    void holder.end(code, reason);
  }

  return {
    /** Confirms the right of a new connection. */
    open(hello: Hello): Promise<Scope> {
      confirm = () => load(hello);
      return current();
    },
    current,
    lapse,
    stop: (): void => clearTimeout(timer),
  };
}

function closeOf(thrown: unknown): [code: number, reason: string] {
  const { code } = toServiceError(thrown);
  if (code === 'unauthenticated')
    return [closeCodes.unauthenticated, 'the credential is not valid'];
  if (code === 'permission_denied')
    return [closeCodes.denied, 'the credential may not follow one of the tenants'];
  return [closeCodes.tryLater, 'the credential cannot be confirmed now'];
}
