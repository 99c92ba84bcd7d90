import {
  type Caller,
  createToken,
  type Origin,
  type ReturnRules,
  readReturnAddress,
  stillAllowed,
  tokenHash,
  tokenKind,
  withCode,
} from '@bailiwick/contract';
import { deadToken, denied, failedPrecondition, unauthenticated } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Handlers } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { Database, Transaction } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { rowOf } from '../rows.ts';
import { type UserRow } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { beginSession } from './begin.ts';
import {
  codeKey,
  consumeCode,
  findCodeUser,
  findSessionOrigin,
  findTakenOn,
  voidCodesFor,
} from './codes/queries.ts';
import { type SessionOrigin, SignInCodeEntity } from './entities.ts';

const codeMs = 60_000;

type Deps = ReturnRules & {
  database: Database;
  authority: Pick<PeerClient<typeof Authority>, 'listUserTenants'>;
};

/** The codes that take users on to applications. */
export function codeHandlers(
  deps: Deps,
): Pick<Handlers<typeof Account>, 'issueCode' | 'exchangeCode'> {
  const { database } = deps;
  const ownOrigin = new URL(deps.publicUrl).origin;
  return {
    async issueCode({ returnTo: requestedAddress, tenant }, call) {
      const { caller } = call;
      // A code turns the browser's cookie into a token, which no script of an application may do.
      if (caller.origin !== '' && caller.origin !== ownOrigin)
        throw denied(
          'only pages of this service may create a code for an application',
          'CROSS_SITE',
        );
      const returnTo = requestedAddress || (await appUrlOf(deps, caller, tenant, call));
      if (returnTo === '' && deps.appUrl === '') return { redirect: '' };
      const target = readReturnAddress(returnTo, deps);
      if (!target)
        throw failedPrecondition(
          'the return address is not at an allowed origin',
          'RETURN_FOREIGN',
        );
      if (target.origin === '') return { redirect: target.returnTo };
      return database.transaction(
        { call, tenant: null, row: rowOf.user(caller.id) },
        async (tx) => {
          const user = await lockActive(tx, caller.id);
          const from = user && (await findSessionOrigin(tx, caller.credentialId));
          // The user was disabled or the session ended meanwhile.
          if (!from) throw unauthenticated();
          const { ip, userAgent } = caller;
          const code = await storeCode(tx, user, {
            ...from,
            ip,
            userAgent,
            origin: target.origin,
            sessionId: caller.credentialId,
          });
          // Audited only: the exchange is the sign-in that receivers hear of.
          record(tx, {
            tenant: '',
            type: 'session.code_issued',
            data: null,
            targets: [{ Type: 'session', ID: caller.credentialId, Name: target.origin }],
          });
          return { redirect: withCode(target.returnTo, code) };
        },
      );
    },

    async exchangeCode({ code }, call) {
      if (tokenKind(code) !== 'code') throw deadToken();
      const hash = tokenHash(code);
      return database.transaction({ call, tenant: null, row: rowOf.code(code) }, async (tx) => {
        const user = await lockActive(tx, (await findCodeUser(tx, hash)) ?? '');
        // A page of another origin does not consume the code, so that the intended page still can.
        const consumed = user && (await consumeCode(tx, hash, call.caller.origin));
        if (!user || !consumed) throw deadToken();
        const from = await withTakenOn(tx, consumed);
        return beginSession(tx, call, user, from);
      });
    },
  };
}

/**
 * The application of one of the user's tenants: of the named one, or of the only one. '' = none, or
 * one that the platform does not allow any more. Without access the user goes to the platform's.
 */
async function appUrlOf(deps: Deps, caller: Caller, tenant: string, call: Origin): Promise<string> {
  const response = await deps.authority
    .listUserTenants({ userId: caller.id }, call)
    .catch(() => ({ tenants: [] }));
  const { limitedTo } = caller;
  const tenants = response.tenants.filter(({ id }) => limitedTo === '' || id === limitedTo);
  const named = tenants.filter(({ id, slug }) => id === tenant || slug === tenant);
  const [only, ...others] = tenant === '' ? tenants : named;
  return others.length === 0 ? stillAllowed(only?.appUrl ?? '', deps) : '';
}

/** @throws if the session that the code takes on has ended */
async function withTakenOn(
  tx: Transaction,
  { sessionId, ...from }: SessionOrigin & { sessionId: string },
): Promise<SessionOrigin> {
  if (sessionId === '') return from;
  const takenOn = await findTakenOn(tx, sessionId);
  if (!takenOn) throw deadToken();
  return { ...from, takenOn };
}

/** The fields of a new code. `sessionId`: the session that it takes on, '' = none. */
type CodeOrigin = Omit<SessionOrigin, 'takenOn'> & { origin: string; sessionId: string };

/** Stores a new code for an application and voids its previous code for the same user. */
export async function storeCode(
  tx: Transaction,
  { id: userId, emailKey }: UserRow,
  from: CodeOrigin,
): Promise<string> {
  const token = createToken('code');
  const now = new Date();
  await voidCodesFor(tx, userId, from.origin);
  tx.em.persist(
    tx.em.create(SignInCodeEntity, {
      ...from,
      ownAssurance: from.ownAssurance ?? '',
      provenAt: from.provenAt ?? null,
      unconfirmed: from.unconfirmed ?? false,
      tokenHash: tokenHash(token),
      userId,
      emailKey: codeKey(emailKey, from.sessionId),
      createdAt: now,
      expiresAt: new Date(now.getTime() + codeMs),
    }),
  );
  return token;
}
