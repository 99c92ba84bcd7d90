import {
  type Origin,
  type ReturnAddress,
  readReturnAddress,
  stillAllowed,
} from '@bailiwick/contract';
import { SignInRefused } from '../refusal.ts';
import type { SignInDeps } from './deps.ts';

// Where a sign-in ends.

/** The sign-in page, which leads on as after a sign-in there. */
const signedInPage = '/login?signed_in=1';

/**
 * The address that the browser asks for. Without one, users of a tenant's provider go to the
 * tenant's application, and those of the platform's providers to one of their tenants or of the
 * platform, as the sign-in page decides.
 */
export async function findReturn(
  deps: SignInDeps,
  tenant: string,
  returnTo: string,
  call: Origin,
): Promise<ReturnAddress> {
  const address = returnTo || (tenant === '' ? signedInPage : await appUrlOf(deps, tenant, call));
  const target = readReturnAddress(address, deps);
  if (!target)
    throw new SignInRefused('RETURN_FOREIGN', 'the return address is not at an allowed origin');
  return target;
}

/**
 * The application of the provider's tenant; '' = none, or one that the platform does not allow any
 * more. Without access the user goes to the platform's.
 */
async function appUrlOf(deps: SignInDeps, tenant: string, call: Origin): Promise<string> {
  const { appUrl } = await deps.authority.getAppUrl({ tenant }, call).catch(() => ({ appUrl: '' }));
  return stillAllowed(appUrl, deps);
}
