import { record } from '@bailiwick/outbox';
import type { Handlers } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Sso } from '@bailiwick/proto/gen/bailiwick/sso/v1/sso_pb.ts';
import type { Database, Transaction } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { rowOf } from '../rows.ts';
import { setLift } from './queries.ts';

type Deps = { database: Database; ownAdmission: PeerClient<typeof Admission> };

const defaultMinutes = 60;

/**
 * Lets owners sign in with a password when their SSO is broken. An interrupted call may publish a
 * lift that is not in effect, but never the other way round: the event is written before access
 * lifts the requirement, and after access has restored it.
 */
export function liftHandler({
  database,
  ownAdmission,
}: Deps): Pick<Handlers<typeof Sso>, 'liftRequirement'> {
  return {
    async liftRequirement({ tenant, minutes = defaultMinutes }, call) {
      const until = endOfLift(minutes);
      const liftInAccess = () =>
        ownAdmission.liftSso({ tenant, until: timestampFromDate(until) }, call, {
          signal: call.signal,
        });
      if (minutes === 0) await liftInAccess();
      await database.transaction({ call, ...turnOf(tenant) }, (tx) =>
        recordLift(tx, { tenant, until }),
      );
      if (minutes > 0) await liftInAccess();
      return { until: timestampFromDate(until) };
    },
  };
}

/** The row on which the changes of a tenant's requirement wait for each other. */
export const turnOf = (tenant: string) => ({ tenant, row: rowOf.requirement(tenant) });

export const endOfLift = (minutes = defaultMinutes): Date =>
  new Date(Date.now() + minutes * 60_000);

/**
 * Stores the end of a lift with its event. `userId`: the owner who used a recovery code; '' for a bot
 * or the platform.
 */
export async function recordLift(
  tx: Transaction,
  { tenant, until, userId = '' }: { tenant: string; until: Date; userId?: string },
): Promise<void> {
  await setLift(tx, tenant, until);
  record(tx, {
    tenant,
    type: until > new Date() ? 'sso.requirement_lifted' : 'sso.requirement_restored',
    data: { Until: until.toISOString(), UserID: userId },
    targets: [{ Type: 'tenant', ID: tenant, Name: '' }],
  });
}
