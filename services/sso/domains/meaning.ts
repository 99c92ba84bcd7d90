import type { Call } from '@bailiwick/shared/dispatch.ts';
import { failedPrecondition } from '@bailiwick/shared/errors.ts';
import { type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import { assertMayConfer } from '../conferring.ts';
import { lockProviders } from '../providers/lock.ts';
import type { DomainDeps } from './deps.ts';
import type { Capture, DomainRow } from './entities.ts';
import { hasActiveProvider } from './queries.ts';

/** What a domain does to people with an address at it. */
export type Meaning = Pick<DomainRow, 'capture' | 'defaultRole'>;

/** Whether people become members by their address. */
const takesIn = (capture: Capture): boolean => capture === 'suggest' || capture === 'join';

/** Throws where nobody at a domain that means this would get in any more. From here on no provider goes before the transaction ends. */
export async function assertWayIn(
  em: EntityManager,
  tenant: string,
  { capture }: Meaning,
): Promise<void> {
  if (capture !== 'require_sso') return;
  await lockProviders(em, tenant);
  if (!(await hasActiveProvider(inTransaction(em), tenant)))
    throw failedPrecondition('the tenant has no active provider', 'NO_PROVIDER');
}

/** Throws unless the caller may have a domain of the tenant mean this. */
export async function assertMeaning(
  deps: Pick<DomainDeps, 'admission'>,
  tenant: string,
  { capture, defaultRole }: Meaning,
  call: Call,
): Promise<void> {
  // Whoever opens the door gives what lies behind it, also where somebody else has put it there.
  if (takesIn(capture) || defaultRole !== '') {
    await assertMayConfer(deps, call, tenant, {
      roles: defaultRole === '' ? [] : [defaultRole],
      groups: [],
      defaultRole: defaultRole === '',
    });
  }
}
