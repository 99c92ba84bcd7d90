import { tokenHash, tokenKind } from '@bailiwick/contract';
import { deadToken, denied, failedPrecondition } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Operators } from '@bailiwick/proto/gen/bailiwick/access/v1/operators_pb.ts';
import { type Database, lockName, type Transaction } from '@bailiwick/store';
import { addGrant } from '../grants/entries.ts';
import { platformOwnerRole } from '../permissions/builtin.ts';
import { rowOf } from '../rows.ts';
import { assertStaying } from '../subjects/state.ts';
import { hasOperator, isLiveLink, useUpLinks } from './queries.ts';

export function operatorHandlers({ database }: { database: Database }): Handlers<typeof Operators> {
  return {
    async claim({ token }, call) {
      // A social provider has verified the address once, and it may have changed hands since.
      if (call.caller.mailboxUnproven) throw denied('email is not verified', 'EMAIL_NOT_VERIFIED');
      if (tokenKind(token) !== 'operatorLink') throw deadToken();
      const row = rowOf.firstOperator();
      await database.transaction({ call, tenant: '', row }, (tx) =>
        claim(tx, tokenHash(token), call),
      );
      return {};
    },
  };
}

async function claim(tx: Transaction, hash: Uint8Array, call: Call): Promise<void> {
  const { id } = call.caller;
  await assertStaying(tx, id);
  // Without the lock, two callers of one link, or of two, could both find no operator.
  await lockName(tx, rowOf.firstOperator());
  if (!(await isLiveLink(tx.query, hash))) throw deadToken();
  if (await hasOperator(tx.query))
    throw failedPrecondition('the platform has an operator already', 'OPERATOR_EXISTS');
  await useUpLinks(tx.query);
  await addGrant(tx, call, {
    tenant: '',
    subjectType: 'user',
    subject: id,
    role: platformOwnerRole,
  });
}
