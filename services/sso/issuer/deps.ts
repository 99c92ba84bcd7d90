import type { Limit } from '@bailiwick/contract';
import { type TenantKeys } from '@bailiwick/keys';
import type { Handover } from '@bailiwick/outbox';
import type { Refusals } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database, Limiter } from '@bailiwick/store';
import type { BotProofDeps } from './bot-proof.ts';
import type { Bots } from './bots.ts';
import type { FindClient } from './clients.ts';
import type { Consents } from './consents.ts';
import type { People } from './people.ts';
import type { Tenants } from './tenants.ts';

export type IssuerDeps = {
  database: Database;
  handover: Handover;
  keys: TenantKeys;
  people: People;
  tenants: Tenants;
  consents: Consents;
  bots: Bots;
  /** The proof of a bot without a key. */
  proof: BotProofDeps;
  findClient: FindClient;
  limiter: Limiter;
  /** The limits per IP address. */
  limits: Readonly<Record<string, Limit>>;
  refusals: Refusals;
  /** The issuer, and the address of all its routes. */
  publicUrl: string;
  log: Log;
};
