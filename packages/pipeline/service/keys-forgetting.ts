import { type Broker } from '@bailiwick/broker';
import { type TenantKeys } from '@bailiwick/keys';

const subject = 'bailiwick.keys.forget';

/**
 * Returns a function that drops a tenant's data keys from the caches of all processes: at once if
 * the broker reaches them, otherwise when their cache entries expire. Call it after the transaction
 * that changed or removed the keys.
 */
export function forgetEverywhere(broker: Broker, keys: TenantKeys): (tenant: string) => void {
  const listening = broker.listen(subject, (tenant) => keys.forget(tenant));
  // Without the broker the keys expire from the caches.
  listening.catch(() => {});
  return (tenant) => {
    keys.forget(tenant);
    broker.signal(subject, tenant);
  };
}
