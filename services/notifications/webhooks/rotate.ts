import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { changedFields, timeAfter } from '@bailiwick/contract';
import { notFound, unavailable } from '@bailiwick/errors';
import { type TenantKeys } from '@bailiwick/keys';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Webhooks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import type { Database } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { rowOf } from '../rows.ts';
import {
  previousSecretContext,
  recordEndpointEvent,
  secretContext,
  toApi,
  toJson,
} from './api-record.ts';
import { WebhookEndpointEntity, type WebhookEndpointRow } from './entities.ts';
import { type DeliveryTarget, findDeliveryTargets } from './queries.ts';
import { readUrl } from './url.ts';

type Deps = { database: Database; keys: TenantKeys; log: Log };

/** Leaves a day to install the new secret on every receiver. */
const defaultGraceSeconds = 86_400;

/** A signing secret in the format of Standard Webhooks. */
export const createSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export function rotateHandler(deps: Deps): Pick<Handlers<typeof Webhooks>, 'rotateSecret'> {
  return {
    async rotateSecret({ tenant, id, graceSeconds = defaultGraceSeconds }, call) {
      const secret = createSecret();
      // Rotations of one endpoint take turns as a whole, because each opens and seals secrets
      // before its transaction.
      return deps.database.inTurn({ call, row: rowOf.rotation(tenant, id) }, async (call) => {
        // Values sealed before the lock are valid only while the endpoint has the secret that was
        // opened for them.
        for (let tries = 0; tries < 5; tries++) {
          const [target] = await findDeliveryTargets(deps.database, [{ tenant, endpoint: id }]);
          if (!target) throw notFound('endpoint');
          const sealed = await sealSecrets(deps.keys, { tenant, id, secret, target });
          const row =
            sealed &&
            (await replaceSecret(
              deps.database,
              { tenant, id, graceSeconds, target, sealed },
              call,
            ));
          if (row) return { endpoint: toApi(row, await readUrl(deps, row)), secret };
        }
        throw unavailable();
      });
    },
  };
}

type Sealing = { tenant: string; id: string; secret: string; target: DeliveryTarget };
type SealedSecrets = { dekId: string; secretEnc: Buffer; previousSecretEnc: Buffer };

/**
 * Seals the new secret and the one it replaces with the same data key. Returns undefined if the
 * tenant's data key was rotated in between.
 */
async function sealSecrets(
  keys: TenantKeys,
  { tenant, id, secret, target }: Sealing,
): Promise<SealedSecrets | undefined> {
  const replaced = await keys.open(
    tenant,
    { dekId: target.dekId, sealed: target.secretEnc },
    secretContext(id),
  );
  const current = await keys.seal(tenant, Buffer.from(secret), secretContext(id));
  const previous = await keys.seal(tenant, replaced, previousSecretContext(id));
  return current.dekId === previous.dekId
    ? { dekId: current.dekId, secretEnc: current.sealed, previousSecretEnc: previous.sealed }
    : undefined;
}

type Replacement = {
  tenant: string;
  id: string;
  graceSeconds: number;
  target: DeliveryTarget;
  sealed: SealedSecrets;
};

/** Returns undefined if the endpoint's secret or its seal has changed meanwhile. */
function replaceSecret(
  database: Database,
  { tenant, id, graceSeconds, target, sealed }: Replacement,
  call: Call,
): Promise<WebhookEndpointRow | undefined> {
  return database.transaction({ call, tenant, row: rowOf.endpoint(tenant, id) }, async (tx) => {
    const stored = await tx.em.findOne(
      WebhookEndpointEntity,
      { tenant, id },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (!stored) throw notFound('endpoint');
    if (!target.secretEnc.equals(stored.secretEnc)) return undefined;
    const before = toJson(stored);
    const keepsPrevious = graceSeconds > 0;
    tx.em.assign(stored, {
      dekId: sealed.dekId,
      secretEnc: sealed.secretEnc,
      previousSecretEnc: keepsPrevious ? sealed.previousSecretEnc : null,
      previousSecretUntil: keepsPrevious ? new Date(Date.now() + graceSeconds * 1000) : null,
      updatedAt: timeAfter(stored.updatedAt),
    });
    recordEndpointEvent(
      tx,
      'webhook_endpoint.secret_rotated',
      stored,
      changedFields(before, toJson(stored)),
    );
    return stored;
  });
}
