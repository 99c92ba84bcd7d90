import assert from 'node:assert/strict';
import { bodyOf } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { goThrough, type Home, loginUrl, type Saved } from './home.ts';

/** Signs in without an address to return to, with and without an AppURL of the tenant. */
export async function assertLeadsToApp(
  stack: Stack,
  { tenant: ID, owner }: Home,
  provider: Saved,
  appUrl: string,
): Promise<void> {
  const signIn = async (AppURL: string) => {
    const body = { Tenant: { ID, Settings: { AppURL } } };
    bodyOf(await stack.call('Tenants_Update', body, owner.token));
    const { page, token } = await goThrough(stack, loginUrl(stack, provider));
    return { url: page.url.replace(/bwkc_\w+$/, '…'), hasCookie: token !== undefined };
  };
  assert.deepEqual(await signIn(appUrl), { url: `${appUrl}?code=…`, hasCookie: false });
  assert.deepEqual(await signIn(''), { url: `${stack.url}/login`, hasCookie: true });
}
