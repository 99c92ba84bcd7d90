export {
  type BrandImage,
  type BrandSettings,
  brandSettings,
  pageBrandSettings,
  readBrandImage,
} from './brand.ts';
export { brokerSettings } from './broker-settings.ts';
export { databaseSettings } from './database-settings.ts';
export { type DiskSpace, isLow, readDiskSpace } from './disk-space.ts';
export { egressRulesOf, egressSettings } from './egress-settings.ts';
export {
  accessPeer,
  callerSettings,
  identityPeer,
  notificationsPeer,
  type OwnSettings,
  ssoPeer,
  verifierSettings,
  withoutHop,
} from './hop-settings.ts';
export { type Hop, openHop, openPeers } from './peers.ts';
export { endRefused, type Running, runProcess } from './process.ts';
export {
  allowedOriginsSettings,
  installationSettings,
  limitSettings,
  listenSettings,
  publicUrlSettings,
  returnSettings,
  tlsSettings,
} from './settings.ts';
export { watchStorage } from './storage-watch.ts';
