import { perMinute } from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import { type ProviderValues, targetOf, toJson } from '../providers/api-record.ts';
import { setLastError } from '../providers/queries.ts';
import type { SignInRefused } from '../refusal.ts';
import type { SignInDeps } from './deps.ts';

/**
 * Anyone can send invalid answers. The audit contains each, but the tenant's endpoints get only
 * this many events.
 */
const eventLimit = perMinute(10);

export type FailedLogin = {
  provider: ProviderValues;
  refusal: SignInRefused;
  ip: string;
  userAgent: string;
  /** The user's address, if it could be read. */
  email?: string | undefined;
};

/**
 * Records a refused sign-in in the provider's LastError, the audit and the event sso.login_failed.
 */
export async function recordFailedLogin(
  { database, limiter, publicUrl, log }: SignInDeps,
  call: Call,
  { provider, refusal, ip, userAgent, email = '' }: FailedLogin,
): Promise<void> {
  const isPublished =
    (await limiter.use(`sso_failed ${provider.tenant} ${provider.id}`, eventLimit)) === 0;
  const lastError = `${refusal.reason}: ${refusal.detail}`;
  const { tenant, id } = provider;
  const failed = (error: unknown) =>
    log.warn('storing LastError of a provider failed', {
      tenant,
      provider: id,
      error,
    });
  await setLastError(database, call, tenant, id, lastError).catch(failed);
  // The audit contains each refusal, and does not wait for the provider's row, which strangers
  // could keep locked.
  await database.transaction({ call, tenant }, (tx) => {
    record(
      tx,
      {
        tenant,
        type: 'sso.login_failed',
        code: refusal.code,
        data: isPublished ? toJson({ ...provider, lastError }, publicUrl) : null,
        targets: [
          targetOf(provider),
          ...(email === '' ? [] : [{ Type: 'address', ID: '', Name: email }]),
        ],
      },
      { ...call, caller: { ...call.caller, ip, userAgent } },
    );
    return Promise.resolve();
  });
}
