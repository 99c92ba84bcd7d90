export { DekEntity } from './entities.ts';
export { createRingService, type KeyService } from './key-service.ts';
export {
  countByKek,
  countRemaining,
  firstPlace,
  type KeyPlace,
  listDue,
  requestRotation,
} from './queries.ts';
export { reportKeys } from './report.ts';
export { type ResealDeps, resealSuperseded, type SealedRecord } from './reseal.ts';
export { rewrapAll } from './rewrap.ts';
export {
  CannotOpen,
  firstOf,
  type KeyRing,
  openForPurpose,
  openKeyRing,
  parseKeyRing,
  purposeKey,
  sealForPurpose,
} from './seal.ts';
export { keyRingSettings, keyServiceSettings, openKeyService } from './settings.ts';
export { dekTable } from './table.ts';
export { createTenantKeys, keyLifetimeMs, type TenantKeys } from './tenant-keys.ts';
export { createVaultService } from './vault.ts';
export { createVaultCalls } from './vault-calls.ts';
export { tokenFromFile } from './vault-token.ts';
