export { createDispatch, type DispatchOptions, type Pipeline } from './dispatch.ts';
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
export { createPager, type PageQuery, type Pager } from './page.ts';
export { inOrderOf, readFound, readSearch, type Search } from './search.ts';
