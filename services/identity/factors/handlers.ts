import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { createCode, createId, homeNetwork, normaliseCode, timeOf } from '@bailiwick/contract';
import { denied, failedPrecondition, limitReached, notFound } from '@bailiwick/errors';
import { type TenantKeys } from '@bailiwick/keys';
import { record } from '@bailiwick/outbox';
import type { Handlers } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type {
  FactorSchema,
  Factors,
  RecoveryCodes,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/factors_pb.ts';
import { type Database, onPool } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { totpsPerUser } from '../limits.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { factorKey, rememberNetwork } from '../passwords/queries.ts';
import { raiseSession } from '../sessions/sign-in/queries.ts';
import {
  assertNoDemand,
  assertRecent,
  changeOwn,
  factorTarget,
  findDemands,
  recordFactors,
} from './changes.ts';
import { openSecret } from './proofs.ts';
import {
  confirmTotp,
  countCodes,
  countTotps,
  deleteCodes,
  deleteTotp,
  findFactors,
  findUnconfirmed,
  type ListedFactor,
  listFactors,
  replaceCodes,
  storeTotp,
} from './queries.ts';
import { createSecret, otpauthUri, stepOf } from './totp.ts';

/** Each has 50 bits. */
const codesPerUser = 10;

const totpProof = { method: 'totp', assurance: 'aal2' } as const;

export type FactorDeps = {
  database: Database;
  keys: TenantKeys;
  passwords: Passwords;
  authority: Pick<PeerClient<typeof Authority>, 'listUserTenants'>;
  publicUrl: string;
};

export function factorsHandlers(deps: FactorDeps): Handlers<typeof Factors> {
  const { database } = deps;
  return {
    async list(_request, { caller }) {
      const [factors, recoveryCodesLeft] = await Promise.all([
        listFactors(database, caller.id),
        countCodes(onPool(database), caller.id),
      ]);
      return { factors: factors.map(factorRecord), recoveryCodesLeft };
    },
    ...totpHandlers(deps),

    async remove({ id }, call) {
      await assertRecent(database, call);
      // Outside of the transaction, which holds a connection.
      const demands = await findDemands(deps, call);
      await changeOwn(database, call, async (tx, user) => {
        const name = await deleteTotp(tx, user.id, id);
        if (name === undefined) return;
        if ((await findFactors(tx.query, user.id)).length === 0) {
          assertNoDemand(demands, 'any');
          await deleteCodes(tx, user.id);
        }
        await recordFactors(tx, user, {
          type: 'user.factor_removed',
          target: factorTarget(id, name),
        });
      });
      return {};
    },
  };
}

/** An authenticator app counts only after a right code, so that a mistake locks no user out. */
function totpHandlers({
  database,
  keys,
  publicUrl,
}: FactorDeps): Pick<Handlers<typeof Factors>, 'beginTotp' | 'confirmTotp'> {
  const issuer = new URL(publicUrl).hostname;
  return {
    async beginTotp({ name }, call) {
      await assertRecent(database, call);
      const id = createId('fac');
      const secret = createSecret();
      const { dekId, sealed } = await keys.seal('', Buffer.from(secret), [id, 'secret']);
      const uri = await changeOwn(database, call, async (tx, user) => {
        if ((await countTotps(tx, user.id)) >= totpsPerUser)
          throw limitReached(
            `at most ${totpsPerUser} authenticator apps are allowed`,
            totpsPerUser,
          );
        await storeTotp(tx, { id, userId: user.id, name, dekId, sealed });
        record(tx, {
          tenant: '',
          type: 'user.factor_begun',
          data: null,
          targets: [{ Type: 'user', ID: user.id, Name: user.email }, factorTarget(id, name)],
        });
        return otpauthUri(issuer, user.email, secret);
      });
      return { factorId: id, secret, uri };
    },

    async confirmTotp({ factorId: id, code }, call) {
      await assertRecent(database, call);
      const waiting = await findUnconfirmed(database, call.caller.id, id);
      if (!waiting) throw notFound('factor');
      const step = stepOf(await openSecret(keys, waiting), code, Date.now());
      if (step === undefined) throw denied('Code is wrong', 'WRONG_CODE');
      const factor = await changeOwn(database, call, async (tx, user, { ssoTenant }) => {
        const confirmed = await confirmTotp(tx, user.id, id, { step, ssoTenant });
        if (!confirmed) throw notFound('factor');
        await raiseSession(tx, call.caller.credentialId, { ...totpProof, ssoTenant });
        await rememberNetwork(tx, factorKey(user.id), homeNetwork(call.caller.ip));
        await recordFactors(tx, user, {
          type: 'user.factor_added',
          target: factorTarget(id, confirmed.name),
        });
        return confirmed;
      });
      return { factor: factorRecord(factor) };
    },
  };
}

export function recoveryCodesHandlers({
  database,
  passwords,
}: FactorDeps): Handlers<typeof RecoveryCodes> {
  return {
    async generate(_request, call) {
      await assertRecent(database, call);
      const assertFactor = (factors: readonly unknown[]) => {
        if (factors.length === 0)
          throw failedPrecondition('a second factor is required first', 'NO_FACTOR');
      };
      // Checked before the hashes too, which are expensive.
      assertFactor(await listFactors(database, call.caller.id));
      const codes = Array.from({ length: codesPerUser }, () => createCode(2));
      const salt = randomBytes(16);
      const hashes = await Promise.all(
        codes.map((code) => passwords.digest(normaliseCode(code), salt)),
      );
      await changeOwn(database, call, async (tx, user, { ssoTenant }) => {
        assertFactor(await findFactors(tx.query, user.id));
        await replaceCodes(tx, user.id, { salt, hashes, ssoTenant });
        await recordFactors(tx, user, { type: 'user.recovery_codes_generated' });
      });
      return { codes };
    },
  };
}

/** A factor as the API returns it, without secrets. */
export const factorRecord = ({
  id,
  kind,
  name,
  confirmed_at: confirmedAt,
  last_used_at: lastUsedAt,
}: ListedFactor): MessageInitShape<typeof FactorSchema> => ({
  id,
  kind,
  name,
  createdAt: timeOf(confirmedAt),
  ...(lastUsedAt === null ? {} : { lastUsedAt: timeOf(lastUsedAt) }),
});
