import { randomBytes } from 'node:crypto';
import { createId, serviceOrigin } from '@bailiwick/contract';
import {
  createRingService,
  createTenantKeys,
  type KeyService,
  parseKeyRing,
  resealSuperseded,
  rewrapAll,
} from '@bailiwick/keys';
import { notificationsSchema } from '@bailiwick/notifications/schema.ts';
import { sealedRecords } from '@bailiwick/notifications/sealed.ts';
import { secretContext } from '@bailiwick/notifications/webhooks/api-record.ts';
import { WebhookEndpointEntity } from '@bailiwick/notifications/webhooks/entities.ts';
import { sealUrl } from '@bailiwick/notifications/webhooks/url.ts';
import { createLog } from '@bailiwick/process';
import { openDatabase } from '@bailiwick/store';

/** A line of a key ring. */
export const ringLine = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;

export const ringService = (...lines: string[]): KeyService =>
  createRingService(parseKeyRing(lines.join('\n')));

export type Instance = ReturnType<typeof openInstance>;
type Options = { url: string; service: KeyService; lifetimeMs?: number; graceMs?: number };

/** The keys module of a notifications process, with a database of the test. */
export function openInstance({ url, service, lifetimeMs = 60_000, graceMs = 0 }: Options) {
  const lines: string[] = [];
  const log = createLog('test', (line) => lines.push(line));
  const database = openDatabase({
    service: 'notifications',
    url,
    entities: notificationsSchema.entities,
    poolSize: 4,
    log,
  });
  const keys = createTenantKeys({ database, service, lifetimeMs });
  const whole = () => false;
  return {
    database,
    keys,
    log,
    /** The log lines. */
    lines,
    rewrap: () => rewrapAll({ database, service, log }, whole),
    reseal: () => resealSuperseded({ database, keys, records: sealedRecords, graceMs, log }, whole),

    /** Stores an endpoint with a sealed secret and, if it has one, a sealed URL. */
    async save(tenant: string, secret: string, url = ''): Promise<string> {
      const id = createId('whk');
      const address = url === '' ? { url } : await sealUrl(keys, { tenant, id }, url);
      const { dekId, sealed } = await keys.seal(tenant, Buffer.from(secret), secretContext(id));
      const now = new Date();
      const row = {
        ...address,
        name: '',
        active: true,
        eventTypes: [],
        description: '',
        rateLimit: 0,
        disabledReason: '',
        createdAt: now,
        updatedAt: now,
      };
      await database.transaction({ call: serviceOrigin('test'), tenant }, async (tx) =>
        tx.em.persist(
          tx.em.create(WebhookEndpointEntity, { ...row, tenant, id, dekId, secretEnc: sealed }),
        ),
      );
      return id;
    },

    /**
     * Changes the secret of an endpoint like a handler: sealed first, then written under a lock.
     */
    async change(tenant: string, id: string, secret: string): Promise<void> {
      const { dekId, sealed } = await keys.seal(tenant, Buffer.from(secret), secretContext(id));
      await database.transaction({ call: serviceOrigin('test'), tenant }, async (tx) => {
        await tx.query('select 1 from webhook_endpoint where tenant = $1 and id = $2 for update', [
          tenant,
          id,
        ]);
        tx.em.assign(await tx.em.findOneOrFail(WebhookEndpointEntity, { tenant, id }), {
          dekId,
          secretEnc: sealed,
        });
      });
    },

    /** Reads an endpoint's row and opens its secret, as a delivery does. */
    async read(tenant: string, id: string): Promise<string> {
      const { dekId, secretEnc } = await this.rowOf(tenant, id);
      return (await keys.open(tenant, { dekId, sealed: secretEnc }, secretContext(id))).toString();
    },

    rowOf: (tenant: string, id: string) =>
      database.transaction({ call: serviceOrigin('test'), tenant }, (tx) =>
        tx.em.findOneOrFail(WebhookEndpointEntity, { tenant, id }),
      ),
    close: () => database.close(),
  };
}
