export { DatabaseProblem, UnsuitableDatabase } from './database-problem.ts';
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
export {
  assertSchemaWindow,
  grantRole,
  type Installation,
  migrate,
  readInstallations,
  renameInstallation,
  type ServiceSchema,
} from './migrations.ts';
export {
  announceCommit,
  beforeCommit,
  type Database,
  databaseRole,
  type EntityManager,
  isTenantScoped,
  openDatabase,
  sessionOptions,
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
