export { DatabaseProblem } from './database-problem.ts';
export {
  createListing,
  type FoundIds,
  type Listed,
  type ListQuery,
  lastPartKey,
  type Place,
  searchIndex,
  textKey,
} from './listing.ts';
export { assertSchemaWindow, migrate, type ServiceSchema } from './migrations.ts';
export {
  announceCommit,
  beforeCommit,
  type Database,
  type EntityManager,
  isTenantScoped,
  openDatabase,
} from './orm.ts';
export {
  execute,
  inTransaction,
  lacksLock,
  lockName,
  lockNames,
  onPool,
  type Run,
  type Statement,
  violates,
} from './statements.ts';
export { type Scope } from './turns.ts';
