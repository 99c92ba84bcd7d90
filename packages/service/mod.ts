export {
  type BrandImage,
  type BrandSettings,
  brandSettings,
  pageBrandSettings,
  readBrandImage,
} from './brand.ts';
export { createConfirm, type RightsSources } from './confirm.ts';
export { type DiskSpace, isLow, readDiskSpace } from './disk-space.ts';
export { forgetEverywhere } from './keys-forgetting.ts';
export { maintainDataKeys, recordReplaced } from './keys-upkeep.ts';
export { openHop, openPeers } from './peers.ts';
export { endRefused, type Running, runProcess } from './process.ts';
export { followPurges, purgeBatch, tablesOfTenants, tenantPurged } from './purge.ts';
export { createRefusals, type Refusals } from './refusals.ts';
export { repeat } from './repeat.ts';
export {
  type Background,
  createService,
  listenService,
  type Service,
  type ServiceOptions,
} from './service.ts';
export {
  accessPeer,
  allowedOriginsSettings,
  brokerSettings,
  callerSettings,
  databaseSettings,
  egressRulesOf,
  egressSettings,
  identityPeer,
  installationSettings,
  keyRingSettings,
  limitSettings,
  listenSettings,
  notificationsPeer,
  type OwnSettings,
  publicUrlSettings,
  returnSettings,
  ssoPeer,
  tlsSettings,
  verifierSettings,
  withoutHop,
} from './settings.ts';
export { watchStorage } from './storage-watch.ts';
