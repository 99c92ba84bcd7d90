import type { Call } from '@bailiwick/pipeline';
import type { StartRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { ProviderValues } from '../providers/api-record.ts';
import { openCredentials } from '../providers/credentials.ts';
import { findProvider } from '../providers/queries.ts';
import { refusalFor, SignInRefused, unknownProvider } from '../refusal.ts';
import type { SignInDeps } from './deps.ts';
import { recordFailedLogin } from './failed-login.ts';
import { cookieOf, createFlow, storeFlow } from './flow.ts';
import { findReturn } from './return.ts';

/** A provider of the platform opens no session before it is confirmed. */
function assertConfirmed(provider: ProviderValues): void {
  if (provider.tenant === '' && provider.vouchId !== '')
    throw new SignInRefused('PROVIDER_UNCONFIRMED', 'the provider is not confirmed');
}

/**
 * Starts a sign-in: sends the browser to the provider, with a cookie that binds the answer to it.
 */
export async function startSignIn(
  deps: SignInDeps,
  { tenant, provider: id, returnTo, ip, userAgent, uiLocale, restarted }: StartRequest,
  call: Call,
) {
  const provider = await findProvider(deps.database, tenant, id);
  if (!provider) throw unknownProvider();
  if (!provider.active)
    throw refusalFor(
      provider,
      new SignInRefused('PROVIDER_INACTIVE', 'the provider is switched off'),
    );
  assertConfirmed(provider);
  const target = await findReturn(deps, tenant, returnTo, call);
  const flow = createFlow(provider.kind);
  try {
    const { redirect, form = {} } = await deps.protocols.begin(
      provider,
      await openCredentials(deps.keys, provider),
      { flow, uiLocale },
    );
    const binding = await storeFlow(deps, call, { tenant, provider: id }, flow, {
      ...target,
      restarted,
    });
    return { redirect, form, flow: cookieOf(flow.state), binding };
  } catch (error) {
    if (error instanceof SignInRefused)
      await recordFailedLogin(deps, call, { provider, refusal: error, ip, userAgent });
    throw refusalFor(provider, error);
  }
}
