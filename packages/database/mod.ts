export { DatabaseProblem } from './database-problem.ts';
export { assertSchemaWindow, migrate, type ServiceSchema } from './migrations.ts';
export {
  announceCommit,
  beforeCommit,
  type Database,
  type EntityManager,
  execute,
  inTransaction,
  isTenantScoped,
  lacksLock,
  lockName,
  onPool,
  openDatabase,
  type Run,
  type Statement,
  violates,
} from './orm.ts';
export { type Scope } from './turns.ts';
