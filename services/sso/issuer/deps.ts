import { type Database } from '@bailiwick/database';
import { type TenantKeys } from '@bailiwick/keys';
import { type Log } from '@bailiwick/telemetry';
import type { FindClient } from './clients.ts';
import type { Consents } from './consents.ts';
import type { People } from './people.ts';
import type { Tenants } from './tenants.ts';

export type IssuerDeps = {
  database: Database;
  keys: TenantKeys;
  people: People;
  tenants: Tenants;
  consents: Consents;
  findClient: FindClient;
  /** The issuer, and the address of all its routes. */
  publicUrl: string;
  log: Log;
};
