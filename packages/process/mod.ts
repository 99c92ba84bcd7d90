export {
  type BrandImage,
  type BrandSettings,
  brandSettings,
  pageBrandSettings,
  readBrandImage,
} from './brand.ts';
export { type DiskSpace, isLow, readDiskSpace } from './disk-space.ts';
export { type Hop, openHop, openPeers } from './peers.ts';
export { endRefused, type Running, runProcess } from './process.ts';
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
