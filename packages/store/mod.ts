export { fromBaseline, type ServiceSchema, versionOf } from './baseline.ts';
export { databaseRole, isTenantScoped, sessionOptions } from './connect.ts';
export { DatabaseProblem, UnsuitableDatabase } from './database-problem.ts';
export {
  addUses,
  assertWithin,
  type Counted,
  countAddress,
  createLimiter,
  type Limiter,
  purgeCounts,
  RateWindowEntity,
  rateWindowTable,
} from './limits.ts';
export { createListing, type FoundIds, lastPartKey, searchIndex, textKey } from './listing.ts';
export { lockName, lockNames } from './locks.ts';
export {
  finishUpgrade,
  grantRole,
  migrate,
  readInstallations,
  renameInstallation,
  revokeEverything,
} from './migrations.ts';
export { type Database, openDatabase } from './orm.ts';
export type { Position, Reader } from './replica.ts';
export {
  holdersIn,
  RevocationEntity,
  RevocationHolderEntity,
  renewHolder,
  revocationTables,
  sweepRevocations,
} from './revocations.ts';
export { assertSchemaWindow, type Installation, oldestSupported } from './schema-window.ts';
export { databaseSettings } from './settings.ts';
export {
  type AnyStatement,
  lacksLock,
  msUntil,
  onPool,
  type Run,
  type Statement,
  violates,
} from './statements.ts';
export { revocationText, type Transaction, takeRevoked, writeLast } from './transaction.ts';
export { addTrigramIndexes, type TrigramIndex, tenantKey, trigramEntityIndex } from './trigrams.ts';
export type { Scope } from './turns.ts';
