import type { Call } from '@bailiwick/shared/dispatch.ts';
import { perMinute } from '@bailiwick/shared/limits.ts';
import { recordChange } from '@bailiwick/shared/outbox.ts';
import { noteFailure } from '../providers/queries.ts';
import { type ProviderValues, providerJson, targetOf } from '../providers/record.ts';
import type { SignInDeps } from './deps.ts';
import type { SignInRefused } from './refusal.ts';

/** Anybody may send answers that are none: the audit has each, and the tenant's endpoints are told of so many. */
const toldOf = perMinute(10);

export type Failure = {
  provider: ProviderValues;
  refusal: SignInRefused;
  ip: string;
  userAgent: string;
  /** Whom it was about, where that could be read. */
  email?: string;
};

/** Tells of a sign-in that was refused: the provider's LastError, the audit, and whoever follows sso.login_failed. */
export async function recordFailure(
  { database, limiter, publicUrl, log }: SignInDeps,
  call: Call,
  { provider, refusal, ip, userAgent, email = '' }: Failure,
): Promise<void> {
  const isTold = (await limiter.use(`sso_failed ${provider.tenant} ${provider.id}`, toldOf)) === 0;
  const lastError = `${refusal.reason}: ${refusal.detail}`;
  const { tenant, id } = provider;
  const failed = (error: unknown) =>
    log.warn('a refused sign-in could not be noted at its provider', {
      tenant,
      provider: id,
      error,
    });
  await noteFailure(database, tenant, id, lastError).catch(failed);
  // The audit has each, and waits for no row that strangers can keep busy.
  await database.transaction(tenant, (em) => {
    recordChange(
      em,
      { operation: call.operation, caller: { ...call.caller, ip, userAgent } },
      {
        tenant,
        type: 'sso.login_failed',
        code: refusal.code,
        data: isTold ? providerJson({ ...provider, lastError }, publicUrl) : null,
        targets: [
          targetOf(provider),
          ...(email === '' ? [] : [{ Type: 'address', ID: '', Name: email }]),
        ],
      },
    );
    return Promise.resolve();
  });
}
