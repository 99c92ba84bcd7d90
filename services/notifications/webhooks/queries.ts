import type { Buffer } from 'node:buffer';
import type { Database, Statement } from '@bailiwick/shared/orm.ts';

export type DeliveryTarget = { url: string; active: boolean; dekId: string; secretEnc: Buffer };

const target: Statement = {
  name: 'notifications.delivery_target',
  text: 'select url, active, dek_id as "dekId", secret_enc as "secretEnc" from webhook_endpoint where tenant = $1 and id = $2',
};

/** What a delivery needs of an endpoint, as it is now: a URL or secret that changed since the event counts. */
export async function findDeliveryTarget(database: Database, tenant: string, endpoint: string): Promise<DeliveryTarget | undefined> {
  const rows = await database.query<DeliveryTarget>(target, [tenant, endpoint]);
  return rows[0];
}
