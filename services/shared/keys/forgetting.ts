import type { Broker } from '../broker.ts';
import type { TenantKeys } from './tenant-keys.ts';

const subject = 'bailiwick.keys.forget';

/**
 * Has every process forget a tenant's data keys: at once where the broker reaches it, and when its memory ends otherwise.
 * To be called after the transaction that changed or removed them.
 */
export function forgetEverywhere(broker: Broker, keys: TenantKeys): (tenant: string) => void {
  const listening = broker.listen(subject, (tenant) => keys.forget(tenant));
  // Without the broker nobody is told, and the memory's end does it.
  listening.catch(() => {});
  return (tenant) => {
    keys.forget(tenant);
    broker.signal(subject, tenant);
  };
}
