import { failedPrecondition } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Transaction } from '@bailiwick/store';
import { assertMayGrant, type DelegatedRights, findMissingPermission } from '../delegation.ts';
import { lockProviders } from '../requirement/lock.ts';
import type { DomainDeps } from './deps.ts';
import type { Capture, DomainRow } from './entities.ts';
import { hasActiveProvider } from './queries.ts';

/** How a domain affects users with an address in it. */
export type CaptureSettings = Pick<DomainRow, 'capture' | 'defaultRole'>;

/** Whether users can become members by their address. */
const grantsMembership = (capture: Capture): boolean => capture === 'suggest' || capture === 'join';

/**
 * Throws if a domain would require SSO while the tenant has no active provider. Blocks changes of
 * the tenant's providers until the transaction ends.
 */
export async function assertActiveProvider(
  tx: Transaction,
  tenant: string,
  { capture }: CaptureSettings,
): Promise<void> {
  if (capture !== 'require_sso') return;
  await lockProviders(tx, tenant);
  if (!(await hasActiveProvider(tx.query, tenant)))
    throw failedPrecondition('the tenant has no active provider', 'NO_PROVIDER');
}

/** Throws unless the caller may give a domain of the tenant these settings. */
export async function assertMayCapture(
  deps: Pick<DomainDeps, 'admission'>,
  tenant: string,
  settings: CaptureSettings,
  call: Call,
): Promise<void> {
  // The caller must hold the granted role, even if another user had set it on the domain.
  const granted = grantedWith(settings);
  if (granted) await assertMayGrant(deps, call, tenant, granted);
}

/** Whether the caller could have saved these settings of a domain. */
export async function mayCapture(
  deps: Pick<DomainDeps, 'admission'>,
  tenant: string,
  settings: CaptureSettings,
  call: Call,
): Promise<boolean> {
  const granted = grantedWith(settings);
  return !granted || (await findMissingPermission(deps, call, tenant, granted)) === '';
}

/** The rights that a domain with these settings gives; undefined = nothing. */
const grantedWith = ({ capture, defaultRole }: CaptureSettings): DelegatedRights | undefined =>
  grantsMembership(capture) || defaultRole !== ''
    ? {
        roles: defaultRole === '' ? [] : [defaultRole],
        groups: [],
        defaultRole: defaultRole === '',
      }
    : undefined;
