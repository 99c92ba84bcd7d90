export { countOperation } from './calls.ts';
export { type Material, parseCertificates } from './certificates.ts';
export { createDispatch, type Dispatch, type DispatchOptions } from './dispatch.ts';
export type { ConfirmCaller } from './guarded.ts';
export {
  type Call,
  type Checks,
  type Handlers,
  type ReplayChecks,
  type Routes,
  routes,
  type Served,
  serve,
} from './handlers.ts';
export { boundHeap, collectLoaded } from './heap.ts';
export { createOwnTokens, type OwnTokens } from './own-tokens.ts';
export { createPager, type PageQuery, type Pager } from './page.ts';
export { createReadiness, problemOf, readyText } from './readiness.ts';
export { readBody, stopReading } from './request-body.ts';
export { fieldText, setField } from './request-fields.ts';
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
export { sessionRefusal, tenantDependsOnCaller, tenantProblems } from './rules.ts';
export { inOrderOf, readFound, readSearch, type Search } from './search.ts';
export { listenHttp, listenRpc } from './serve.ts';
export { openTls, type Tls } from './tls.ts';
