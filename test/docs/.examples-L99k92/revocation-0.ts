import type { Broker } from '@bailiwick/events';
import { createRevoker, createRightsCache } from '@bailiwick/revocation';

export async function inService(broker: Broker): Promise<void> {
  const revoke = createRevoker(broker);
  await revoke(['user:usr_1', 'tenant:tnt_1']);
}

export async function inGateway(broker: Broker): Promise<string> {
  const cache = createRightsCache(broker);
  const load = async () => ({ value: 'rights', keys: ['user:usr_1'] as const });
  return cache.getOrLoad('rights of usr_1', load);
}
