export {
  callerHeader,
  createCallerSigner,
  createCallerVerifier,
} from './caller-tokens.ts';
export { answerSpan, countOperation, isCountedHere, rpcName } from './calls.ts';
export type { Dispatch, Exchange } from './dispatch.ts';
export { createOwnTokens } from './own-tokens.ts';
export { createBehalfClient, createPeerClient, type PeerClient } from './peer-client.ts';
export { openPeers } from './peers.ts';
export { processSettings } from './process-settings.ts';
export { readBody, stopReading } from './request-body.ts';
export { createRevocationLogs, revocationServices } from './revocation-logs.ts';
export {
  asService,
  contextFor,
  createLocalTransport,
  type WireTransport,
} from './rpc.ts';
export { createHttpTransport } from './rpc-http.ts';
export { gatewayPart, runServices, type Service, servicePart } from './run.ts';
export { listenRpc } from './serve.ts';
export {
  accessPeer,
  callerSettings,
  identityPeer,
  notificationsPeer,
  type OwnSettings,
  rpcPortSettings,
  ssoPeer,
  verifierSettings,
} from './settings.ts';
