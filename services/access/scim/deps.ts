import type { RightsCache } from '@bailiwick/broker';
import { type KeyRing } from '@bailiwick/keys';
import type { Call, Pager } from '@bailiwick/pipeline';
import type { Database, Limiter } from '@bailiwick/store';
import type { Source } from '../decisions/sources.ts';
import type { Directory } from '../directory.ts';
import type { InvitationLimits } from '../limits.ts';

export type ScimDeps = {
  database: Database;
  directory: Directory;
  rightsCache: RightsCache;
  keyRing: KeyRing;
  limiter: Limiter;
  pager: Pager;
  limits: InvitationLimits;
};

/** One request of the protocol: its tenant, the address of the tenant, the call, and the directory. */
export type ScimRequest = { tenant: string; baseUrl: string; call: Call; source: Source };
