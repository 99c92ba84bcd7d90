import type { Call, Handlers, Pager } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type {
  BotGrants,
  Grants,
  GroupGrants,
} from '@bailiwick/proto/gen/bailiwick/access/v1/grants_pb.ts';
import type { PageReq } from '@bailiwick/proto/gen/bailiwick/common/v1/page_pb.ts';
import type { Database, Scope } from '@bailiwick/store';
import { visibleTo } from '../decisions/visible.ts';
import { assertBot, assertUser, type Directory } from '../directory.ts';
import type { GrantRow, SubjectType } from '../grants/entities.ts';
import { grantsIn, grantsOf, warnOfOthers } from '../grants/queries.ts';
import {
  botGrantInput,
  type GrantInput,
  grantInput,
  groupGrantInput,
  toBotGrant,
  toGrant,
  toGroupGrant,
} from '../grants/records.ts';
import { pathKey } from '../groups/path.ts';
import { rowOf } from '../rows.ts';
import { grant, grantProblems, withdraw } from './change.ts';
import { grantNotice, removalNotice } from './platform-role.ts';

/** Checks common to the grants of users, groups and bots. */
export const grantChecks = {
  add: ({ grant: input = {} }: { grant?: Parameters<typeof grantProblems>[0] | undefined }) =>
    grantProblems(input),
};

type Deps = { database: Database; directory: Directory; pager: Pager; log: Log };

/** Grants of one subject lock the subject's row. */
const scopeOf = (call: Call, { tenant, subjectType, subject }: GrantInput): Scope => ({
  call,
  tenant,
  row: rowOf.grantee(subjectType, tenant, subjectType === 'group' ? pathKey(subject) : subject),
});

/** A request for a list of grants. `subject` and `role` are "" for all. */
type ListInput = {
  tenant: string;
  subjectType: SubjectType;
  subject: string;
  role: string;
  page?: PageReq | undefined;
  includePlatform?: boolean;
};

/** Operations common to the grants of users, groups and bots, which share one table. */
function createFamily(deps: Deps) {
  const { database, directory, pager, log } = deps;
  return {
    async add(input: GrantInput, call: Call, reason = '') {
      // A member of the tenant is a known user. For others, ask identity, before the transaction.
      if (input.subjectType === 'bot')
        await assertBot(directory, input.tenant, input.subject, call);
      if (input.subjectType === 'user' && input.tenant === '')
        await assertUser(directory, input.subject, call);
      const notice = await grantNotice(deps, input, reason, call);
      const isChanged = await database.transaction(scopeOf(call, input), (tx) =>
        grant(tx, input, call, notice),
      );
      if (isChanged && notice.operators) warnOfOthers(log, notice.operators);
      return {};
    },

    async remove(input: GrantInput, call: Call) {
      const notice = await removalNotice(deps, input, call);
      const isChanged = await database.transaction(scopeOf(call, input), (tx) =>
        withdraw(tx, input, call, notice),
      );
      if (isChanged && notice.operators) warnOfOthers(log, notice.operators);
      return {};
    },

    async list<T>(
      toRecord: (row: GrantRow) => T,
      { tenant, subjectType, subject, role, page, includePlatform = false }: ListInput,
      { operation, reader }: Call,
    ) {
      const withPlatform = includePlatform && tenant !== '';
      const listing = { tenant, subjectType, subject, role, withPlatform };
      const binding = [
        operation.name,
        tenant,
        ...(withPlatform ? ['platform'] : []),
        // Cursors of the previous version have no selection.
        ...(subject === '' && role === '' ? [] : ['of', subject, role]),
      ];
      return pager.list(page, binding, (query) => grantsIn(reader, listing, query), toRecord);
    },
  };
}

export function grantHandlers(deps: Deps): Handlers<typeof Grants> {
  const { database, pager } = deps;
  const family = createFamily(deps);
  return {
    add: ({ grant: input, reason }, call) => family.add(grantInput(input), call, reason),
    remove: ({ grant: input }, call) => family.remove(grantInput(input), call),
    listByTenant: ({ userId, tenant, role, page, includePlatform }, call) =>
      family.list(
        toGrant,
        { tenant, subjectType: 'user', subject: userId, role, page, includePlatform },
        call,
      ),

    async list({ userId, page }, call) {
      const reach = await visibleTo(database, call, 'iam.grants.read');
      const binding = [call.operation.name, call.caller.id, userId];
      const query = pager.read(page, binding);
      const onPlatform =
        reach.everywhere &&
        (call.allowedBy?.kind === 'self' || call.allowedBy?.kind === 'platform');
      const rows = await grantsOf(database, userId, query, reach, onPlatform);
      const { items, nextCursor } = pager.cut(rows, query, binding, (row) => row.id);
      return { page: { items: items.map(toGrant), nextCursor } };
    },
  };
}

export function groupGrantHandlers(deps: Deps): Handlers<typeof GroupGrants> {
  const family = createFamily(deps);
  return {
    add: ({ grant: input }, call) => family.add(groupGrantInput(input), call),
    remove: ({ grant: input }, call) => family.remove(groupGrantInput(input), call),
    listByTenant: ({ group, tenant, role, page }, call) =>
      family.list(
        toGroupGrant,
        { tenant, subjectType: 'group', subject: pathKey(group), role, page },
        call,
      ),
  };
}

export function botGrantHandlers(deps: Deps): Handlers<typeof BotGrants> {
  const family = createFamily(deps);
  return {
    add: ({ grant: input, reason }, call) => family.add(botGrantInput(input), call, reason),
    remove: ({ grant: input }, call) => family.remove(botGrantInput(input), call),
    listByTenant: ({ bot, tenant, role, page, includePlatform }, call) =>
      family.list(
        toBotGrant,
        { tenant, subjectType: 'bot', subject: bot, role, page, includePlatform },
        call,
      ),
  };
}
