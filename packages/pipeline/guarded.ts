import { createHash, randomUUID } from 'node:crypto';
import { type Guards, keysOfCaller } from '@bailiwick/broker';
import {
  allows,
  authorize,
  type Behalf,
  type Caller,
  hasPermission,
  type Operation,
  type Rule,
} from '@bailiwick/contract';
import { rightsChanged } from '@bailiwick/errors';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { create, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';

// The caller of a change, and the question whether its right still stands: when the call arrives, if
// the right may have ended on its way, and before each commit (packages/broker/revocation/guard.ts).

/**
 * A caller with the rights that it holds now, in a tenant. @throws ServiceError if its credential
 * has ended
 */
export type ConfirmCaller = (caller: Caller, tenant: string) => Promise<Caller>;

export type GuardDeps = { guards: Guards; confirm: ConfirmCaller };

type AuthorizedRequest = { request: Message; allowedBy: Rule | undefined };

export type ChangeGuard = ReturnType<typeof openChange>;

/** Opens the guard of a call that may change something; undefined if no right can end meanwhile. */
export function openChange({ guards, confirm }: GuardDeps, operation: Operation, caller: Caller) {
  if (!operation.sideEffects) return undefined;
  const isPart = caller.type === 'service';
  let subject = isPart ? behalfOf(caller) : caller;
  const keys = subject ? keysOfCaller(subject) : [];
  if (!subject || keys.length === 0) return undefined;
  const work = (isPart && caller.work) || randomUUID();
  const rightsName = nameOnce(subject);
  let authorized: AuthorizedRequest | undefined;
  /** The last answer. */
  let present: Caller | undefined;

  async function confirmIn(tenant: string): Promise<void> {
    if (!subject) return;
    present = await confirm(subject, subject.tenant);
    // The call has not been authorized yet, and is with these rights.
    if (!isPart && !authorized) return void (subject = present);
    if (authorized) assertAllowed(operation, authorized, present);
    if (!holdsAll(present, subject)) throw rightsChanged();
    const elsewhere = authorized?.allowedBy?.kind === 'handler' && tenant !== subject.tenant;
    if (elsewhere && tenant !== '') await assertHandled(operation, await confirm(subject, tenant));
  }

  const guard = guards.open({
    keys,
    work,
    carriesRights: true,
    rightsName,
    confirm: confirmIn,
  });
  const behalf: Behalf = { caller: subject, work };
  return {
    guard,
    work,
    behalf,
    /** The caller with rights that had not ended when the call arrived. */
    async caller(): Promise<Caller> {
      if (guard.isInDoubt()) {
        await guard.ask('');
        if (present && nameOf(present) === rightsName()) guard.noteConfirmed();
      }
      if (isPart || !subject) return caller;
      behalf.caller = subject;
      return subject;
    },
    /** From now on the call must stay allowed by this rule. */
    authorized(request: Message, allowedBy: Rule | undefined): void {
      authorized = { request, allowedBy };
    },
    end: guard.end,
  };
}

/** A short name for a caller with its rights, without the call's own id. */
const nameOf = (caller: Caller): string =>
  createHash('sha256')
    .update(toBinary(CallerSchema, create(CallerSchema, { ...caller, requestId: '' })))
    .digest('base64');

/** The name of a caller, which is made only when it is needed. */
function nameOnce(caller: Caller): () => string {
  let name: string | undefined;
  return () => (name ??= nameOf(caller));
}

const behalfOf = ({ onBehalf }: Caller): Caller | undefined =>
  onBehalf.length === 0 ? undefined : { ...fromBinary(CallerSchema, onBehalf) };

function assertAllowed(
  operation: Operation,
  { request, allowedBy }: AuthorizedRequest,
  present: Caller,
): void {
  if (!allowedBy || allows(allowedBy, operation, request, present)) return;
  authorize(operation, request, present);
  // Another rule would allow the call, but the handler has worked under the first.
  throw rightsChanged();
}

/** A handler that finds the tenant itself needs what the operation needs in a tenant. */
async function assertHandled(operation: Operation, present: Caller): Promise<void> {
  const rule = operation.allow.find(({ kind }) => kind === 'tenant');
  if (rule?.kind === 'tenant' && !hasPermission(present.permissions, rule.permission))
    throw rightsChanged();
}

/** Whether no permission is missing that the caller came with: its handler may have used any. */
const holdsAll = (present: Caller, before: Caller): boolean =>
  includesBits(present.permissions, before.permissions) &&
  includesBits(present.platformPermissions, before.platformPermissions);

const includesBits = (all: Uint8Array, some: Uint8Array): boolean =>
  some.every((bits, index) => (bits & ~(all[index] ?? 0)) === 0);
