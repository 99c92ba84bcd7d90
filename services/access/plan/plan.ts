import { setTimeout as sleep } from 'node:timers/promises';
import type { RightsKey } from '@bailiwick/broker';
import { holdsInTenant, newCaller } from '@bailiwick/contract';
import {
  denied,
  errorRecord,
  invalid,
  notFound,
  type Problem,
  ServiceError,
  unavailable,
} from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type {
  AccessPlanRequest,
  AccessPlanResponseSchema,
  PlannedChange,
} from '@bailiwick/proto/gen/bailiwick/access/v1/access_pb.ts';
import { type Database, lacksLock, lockName, onPool, type Transaction } from '@bailiwick/store';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { rightsOf } from '../decisions/rights.ts';
import { tokenRightsOf } from '../decisions/rights-checks.ts';
import { type Directory, findBots } from '../directory.ts';
import { grant, grantProblems, withdraw } from '../granting/change.ts';
import { botGrantInput, type GrantInput, grantInput, groupGrantInput } from '../grants/records.ts';
import { addMember, deleteGroup, removeMember } from '../groups/members.ts';
import { saveGroup } from '../groups/save.ts';
import { deleteRole, roleProblems, saveRole } from '../roles/save.ts';
import { rowOf } from '../rows.ts';
import { differences, type Holdings, holdingsInTenant } from './holdings.ts';
import { waitForLocks } from './queries.ts';

/**
 * `bot`: a bot that must exist, which only identity knows. `problems`: validation errors of the
 * change alone.
 */
type Change = {
  operation: string;
  permission: string;
  tenant: string;
  bot?: string;
  problems?: readonly Problem[];
  apply: (tx: Transaction, call: Call) => Promise<unknown>;
};

type Deps = { database: Database; directory: Directory };

/** Thrown to roll the trial back. */
class RolledBack extends Error {}

/**
 * Computes how changes would affect all subjects' permissions. Runs the operations' own code in a
 * transaction that always rolls back: the result is exact, and nothing is changed.
 */
export async function plan(
  { database, directory }: Deps,
  { tenant, changes, forBot }: AccessPlanRequest,
  call: Call,
): Promise<MessageInitShape<typeof AccessPlanResponseSchema>> {
  const planned = changes.map(changeOf);
  const problems = planned.flatMap((change, index) =>
    change.tenant === tenant
      ? []
      : [`Changes[${index}].${change.operation} must be in the plan's Tenant`],
  );
  if (problems.length > 0) throw invalid(problems);
  const bots = await findBots(
    directory,
    tenant,
    [...planned.flatMap(({ bot = [] }) => bot), ...(forBot === '' ? [] : [forBot])],
    call,
  );
  if (forBot !== '' && !bots.has(forBot)) throw notFound('bot');
  const trial = forBot === '' ? call : await callOf(database, tenant, forBot, call);
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryAll(database, tenant, planned, bots, trial);
    } catch (error) {
      if (!lacksLock(error)) throw error;
      if (attempt === attempts)
        throw unavailable('the plan conflicts with concurrent changes: try again');
      await sleep(Math.random() * lockWaitMs);
    }
  }
}

/** A call by the bot that will make the changes. Nothing that it does is committed. */
async function callOf(database: Database, tenant: string, id: string, call: Call): Promise<Call> {
  const bot = newCaller({ type: 'bot', id, tenant });
  const rights = await rightsOf(onPool(database), { ...bot, botTenant: tenant }, tenant);
  return { ...call, caller: { ...bot, permissions: tokenRightsOf(rights).permissions } };
}

// A plan takes locks in the order of its changes and keeps them to its end, while every other call
// uses one fixed order. The two could deadlock. A plan therefore gives up long before PostgreSQL's
// deadlock check (1 s), so that no other call fails because of it.
const lockWaitMs = 200;
const attempts = 10;

async function tryAll(
  database: Database,
  tenant: string,
  planned: readonly Change[],
  bots: ReadonlySet<string>,
  call: Call,
) {
  const refusals: Array<{ index: number; operation: string; error: ServiceError }> = [];
  let states: { before: Holdings; after: Holdings } | undefined;
  await database
    .transaction({ call, tenant, row: rowOf.plan(tenant) }, async (tx) => {
      // Two plans of one tenant would block each other. A plan that waits too long releases its
      // connection.
      await waitForLocks(tx, 10 * lockWaitMs);
      await lockName(tx, rowOf.plan(tenant));
      await waitForLocks(tx, lockWaitMs);
      const before = await holdingsInTenant(tx.query, tenant);
      for (const [index, change] of planned.entries()) {
        const error =
          change.bot !== undefined && !bots.has(change.bot)
            ? notFound('bot')
            : await tryOut(tx, change, call);
        if (error) refusals.push({ index, operation: change.operation, error });
      }
      await tx.em.flush();
      states = { before, after: await holdingsInTenant(tx.query, tenant) };
      throw new RolledBack();
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  // The transaction has ended: the comparison holds no locks.
  return {
    ...(states && (await differences(states.before, states.after))),
    warnings: refusals.map(
      ({ index, operation, error }) =>
        `Changes[${index}].${operation} would be refused: ${error.message}`,
    ),
    refusals: refusals.map(({ index, error }) => ({ index, ...errorRecord(error) })),
  };
}

/** Makes a change as the caller would. If it would be refused, undoes it and returns the error. */
async function tryOut(
  tx: Transaction,
  { operation, permission, tenant, problems = [], apply }: Change,
  call: Call,
): Promise<ServiceError | undefined> {
  if (!holdsInTenant(call.caller, permission, tenant)) return denied(`${permission} is required`);
  if (problems.length > 0) return invalid(problems);
  try {
    // A savepoint, so that later changes are still tried. The cache invalidations of a rolled back
    // change are discarded.
    const tried = {
      ...call,
      operation: { ...call.operation, name: operation },
      invalidates: new Set<RightsKey>(),
    };
    await tx.savepoint(tried, (inner) => apply(inner, tried));
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'unavailable') return error;
    throw error;
  }
}

function changeOf(planned: PlannedChange): Change {
  const roles = 'iam.roles.write';
  const groups = 'iam.groups.write';
  const { rolesSave, rolesDelete, groupsSave } = planned;
  const { groupsAddMember, groupsRemoveMember, groupsDelete } = planned;
  if (rolesSave)
    return {
      operation: 'Roles_Save',
      permission: roles,
      tenant: rolesSave.role?.tenant ?? '',
      problems: roleProblems(rolesSave),
      apply: (tx, call) => saveRole(tx, rolesSave, call),
    };
  if (rolesDelete)
    return {
      operation: 'Roles_Delete',
      permission: roles,
      tenant: rolesDelete.tenant,
      apply: (tx) => deleteRole(tx, rolesDelete),
    };
  if (groupsSave)
    return {
      operation: 'Groups_Save',
      permission: groups,
      tenant: groupsSave.group?.tenant ?? '',
      apply: (tx) => saveGroup(tx, groupsSave),
    };
  if (groupsAddMember)
    return {
      operation: 'Groups_AddMember',
      permission: groups,
      tenant: groupsAddMember.tenant,
      apply: (tx, call) => addMember(tx, groupsAddMember, call),
    };
  if (groupsRemoveMember)
    return {
      operation: 'Groups_RemoveMember',
      permission: groups,
      tenant: groupsRemoveMember.tenant,
      apply: (tx, call) => removeMember(tx, groupsRemoveMember, call),
    };
  if (groupsDelete)
    return {
      operation: 'Groups_Delete',
      permission: groups,
      tenant: groupsDelete.tenant,
      apply: (tx, call) => deleteGroup(tx, groupsDelete, call),
    };
  return grantChangeOf(planned);
}

function grantChangeOf(planned: PlannedChange): Change {
  const {
    grantsAdd,
    grantsRemove,
    groupGrantsAdd,
    groupGrantsRemove,
    botGrantsAdd,
    botGrantsRemove,
  } = planned;
  const change = (operation: string, input: GrantInput, apply: typeof grant): Change => ({
    operation,
    permission: 'iam.grants.write',
    tenant: input.tenant,
    apply: (tx, call) => apply(tx, input, call),
  });
  const added = (operation: string, input: GrantInput): Change => ({
    ...change(operation, input, grant),
    problems: grantProblems(input),
  });
  if (grantsAdd) return added('Grants_Add', grantInput(grantsAdd.grant));
  if (grantsRemove) return change('Grants_Remove', grantInput(grantsRemove.grant), withdraw);
  if (groupGrantsAdd) return added('GroupGrants_Add', groupGrantInput(groupGrantsAdd.grant));
  if (groupGrantsRemove)
    return change('GroupGrants_Remove', groupGrantInput(groupGrantsRemove.grant), withdraw);
  if (botGrantsAdd) {
    const input = botGrantInput(botGrantsAdd.grant);
    return { ...added('BotGrants_Add', input), bot: input.subject };
  }
  return change('BotGrants_Remove', botGrantInput(botGrantsRemove?.grant), withdraw);
}
