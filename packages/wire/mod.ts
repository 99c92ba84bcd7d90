export { answerSpan, countOperation, isCountedHere, rpcName } from './calls.ts';
export { type Material, parseCertificates } from './certificates.ts';
export type { Dispatch, Exchange } from './dispatch.ts';
export { boundHeap, collectLoaded } from './heap.ts';
export { listenHttp } from './listen-http.ts';
export { createOwnTokens, type OwnTokens } from './own-tokens.ts';
export { createReadiness, problemOf, readyText } from './readiness.ts';
export { readBody, stopReading } from './request-body.ts';
export {
  asService,
  contextFor,
  createLocalTransport,
  isUnimplemented,
  onBehalf,
  type WireOptions,
  type WireTransport,
} from './rpc.ts';
export { createHttpTransport } from './rpc-http.ts';
export { listenRpc } from './serve.ts';
export { openTls, type Tls } from './tls.ts';
