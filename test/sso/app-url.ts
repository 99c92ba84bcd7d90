import assert from 'node:assert/strict';
import { bodyOf } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { goThrough, type Home } from './home.ts';

/**
 * Signs in without an address to return to, with and without an AppURL of the tenant. `start` is
 * where the browser begins.
 */
export async function assertLeadsToApp(
  stack: Stack,
  { tenant: ID, owner }: Home,
  start: string,
  appUrl: string,
): Promise<void> {
  const signIn = async (AppURL: string) => {
    const body = { Tenant: { ID, Settings: { AppURL } } };
    bodyOf(await stack.call('Tenants_Update', body, owner.token));
    const { page, token } = await goThrough(stack, start);
    return { url: page.url.replace(/bwkc_\w+$/, '…'), hasCookie: token !== undefined };
  };
  assert.deepEqual(await signIn(appUrl), { url: `${appUrl}?code=…`, hasCookie: false });
  assert.deepEqual(await signIn(''), { url: `${stack.url}/login`, hasCookie: true });
}
