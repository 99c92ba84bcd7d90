export { isPublic } from './addresses.ts';
export { type FailureName, RequestFailed } from './failure.ts';
export { createPools, type Pools, pinned } from './pools.ts';
export { parseProxy } from './proxy.ts';
export { type Egress, type EgressAnswer, type EgressRequest, request } from './request.ts';
export { createLookUp, parseServer } from './resolver.ts';
export { type EgressRules, egressRules, resolveReceiver, urlProblem } from './rules.ts';
export { egressRulesOf, egressSettings } from './settings.ts';
