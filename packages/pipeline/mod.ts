export { createDispatch, type Pipeline } from './dispatch.ts';
export {
  type Call,
  type Checks,
  deferredHandlers,
  type Handlers,
  type ReplayChecks,
  routes,
  type Served,
  serve,
} from './handlers.ts';
export { IdempotentCallEntity, idempotentCallTable } from './idempotency/entity.ts';
export { createIdempotency } from './idempotency/idempotency.ts';
export { sweepCalls } from './idempotency/queries.ts';
export { createPager, type PageQuery, type Pager } from './page.ts';
export { createPositions, type Positions } from './positions.ts';
export { inOrderOf, readFound, readSearch, type Search } from './search.ts';
export type { RightsSources } from './service/confirm.ts';
export { forgetEverywhere } from './service/keys-forgetting.ts';
export { maintainDataKeys, recordReplaced } from './service/keys-upkeep.ts';
export { followPurges, purgeBatch, tablesOfTenants, tenantPurged } from './service/purge.ts';
export { createRefusals, type Refusals } from './service/refusals.ts';
export { type Background, repeat } from './service/repeat.ts';
export { createService, type ServiceOptions } from './service/service.ts';
