import { callerNetwork, type Limit, type Origin, timeOf } from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import type { Handlers } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { SsoRecovery } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Sso } from '@bailiwick/proto/gen/bailiwick/sso/v1/sso_pb.ts';
import type { Database, Limiter } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { endOfLift, recordLift, turnOf } from '../lift.ts';
import { codeHash, codesPerTenant, createCodes } from './codes.ts';
import { findRequirement, findTenantOf, replaceCodes, useCode } from './queries.ts';

// Recovery codes are the way out of a broken identity provider that needs no bot. A code alone opens
// nothing: identity asks for the password and the second factor of an owner before it uses one.

type Deps = {
  database: Database;
  admission: PeerClient<typeof Admission>;
  limiter: Limiter;
  /** The limit of tries; undefined = none. */
  recoveryLimit: Limit | undefined;
};

type Managed = Pick<Handlers<typeof Sso>, 'createRecoveryCodes' | 'getRequirement'>;

export function recoveryCodesHandlers({ database, admission }: Deps): Managed {
  async function requirementOf(tenant: string, call: Origin) {
    const [{ byDomain, liftedUntil, codesLeft, createdAt }, { requiresSso }] = await Promise.all([
      findRequirement(database, tenant),
      admission.isOpen({ tenant }, call),
    ]);
    return {
      required: byDomain || requiresSso,
      ...(liftedUntil === null ? {} : { liftedUntil: timeOf(liftedUntil) }),
      recoveryCodesLeft: codesLeft,
      ...(createdAt === null ? {} : { recoveryCodesCreatedAt: timeOf(createdAt) }),
    };
  }

  return {
    async createRecoveryCodes({ tenant }, call) {
      const codes = createCodes();
      const { required } = await requirementOf(tenant, call);
      await database.transaction({ call, ...turnOf(tenant) }, async (tx) => {
        await replaceCodes(tx, tenant, codes.map(codeHash));
        record(tx, {
          tenant,
          type: 'sso.recovery_codes_created',
          data: { Required: required, RecoveryCodesLeft: codesPerTenant },
          targets: [{ Type: 'tenant', ID: tenant, Name: '' }],
        });
      });
      return { codes };
    },

    getRequirement: ({ tenant }, call) => requirementOf(tenant, call),
  };
}

export function recoveryHandlers({
  database,
  admission,
  limiter,
  recoveryLimit,
}: Deps): Handlers<typeof SsoRecovery> {
  const take = async (key: string): Promise<void> => {
    if (recoveryLimit) await limiter.take(`sso recovery ${key}`, recoveryLimit);
  };
  return {
    async find({ code, ip }, call) {
      await take(callerNetwork(ip));
      const hash = codeHash(code);
      const tenant = await findTenantOf(database, hash);
      // Only tries with a code of the tenant count for it, so that strangers cannot lock it out.
      if (tenant !== undefined) await take(tenant);
      const isKnown = tenant !== undefined && (await admission.isOpen({ tenant }, call)).open;
      return { tenant: isKnown ? tenant : '', codeHash: hash };
    },

    async use({ tenant, codeHash: hash, userId, ip, userAgent }, call) {
      const until = endOfLift();
      // The audit names the owner, whom identity has authenticated.
      const byOwner = {
        ...call,
        caller: { ...call.caller, type: 'user', id: userId, ip, userAgent },
      };
      const isUsed = await database.transaction(
        { call: byOwner, ...turnOf(tenant) },
        async (tx) => {
          if (!(await useCode(tx, tenant, hash))) return false;
          await recordLift(tx, { tenant, until, userId });
          // Before the commit: if access does not answer, the code stays unused.
          await admission.liftSso({ tenant, until: timestampFromDate(until) }, byOwner, {
            signal: call.signal,
          });
          return true;
        },
      );
      return { used: isUsed };
    },
  };
}
