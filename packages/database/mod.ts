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
  finishUpgrade,
  grantRole,
  migrate,
  readInstallations,
  renameInstallation,
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
  assertSchemaWindow,
  type Installation,
  oldestSupported,
  type ServiceSchema,
} from './schema-window.ts';
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
