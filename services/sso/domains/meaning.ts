import type { Call } from '@bailiwick/shared/dispatch.ts';
import { failedPrecondition, invalid } from '@bailiwick/shared/errors.ts';
import { onPool } from '@bailiwick/shared/orm.ts';
import { assertMayConfer } from '../conferring.ts';
import type { DomainDeps } from './deps.ts';
import type { Capture, DomainRow } from './entities.ts';
import { hasActiveProvider } from './queries.ts';

/** What a domain does to people with an address at it. */
export type Meaning = Pick<DomainRow, 'capture' | 'defaultRole'>;

/** Whether people become members by their address. */
const takesIn = (capture: Capture): boolean => capture === 'suggest' || capture === 'join';

/** Throws unless the caller may have a domain of the tenant mean this. */
export async function assertMeaning(
  deps: Pick<DomainDeps, 'database' | 'admission'>,
  tenant: string,
  { capture, defaultRole }: Meaning,
  call: Call,
): Promise<void> {
  if (defaultRole === 'owner') throw invalid('DefaultRole must not be owner');
  // Without one nobody at the domain would get in any more.
  if (capture === 'require_sso' && !(await hasActiveProvider(onPool(deps.database), tenant))) {
    throw failedPrecondition('the tenant has no active provider', 'NO_PROVIDER');
  }
  // Whoever opens the door gives what lies behind it, also where somebody else has put it there.
  if (takesIn(capture) || defaultRole !== '') {
    await assertMayConfer(deps, call, tenant, { roles: defaultRole === '' ? [] : [defaultRole], groups: [], defaultRole: defaultRole === '' });
  }
}
