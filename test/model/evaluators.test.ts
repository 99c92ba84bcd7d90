// 26 s: compares five answers about rights in 300 random models.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { decisionHandlers } from '@bailiwick/access/decisions/access.ts';
import { type Principal, rightsOf } from '@bailiwick/access/decisions/rights.ts';
import { holdsInTenant, mayGrant } from '@bailiwick/access/decisions/rights-checks.ts';
import { anySession } from '@bailiwick/access/decisions/session.ts';
import { narrow } from '@bailiwick/access/permissions/narrow.ts';
import type { RightsCache } from '@bailiwick/broker';
import { isPlatformOnly, readVoucher } from '@bailiwick/contract';
import { type Call, createPager } from '@bailiwick/pipeline';
import {
  AccessCheckRequestSchema,
  AccessExplainRequestSchema,
  AccessListPermissionsRequestSchema,
  AccessListSubjectsRequestSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/access_pb.ts';
import { onPool } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { directory, openModels } from './model-database.ts';
import { anyQuestion, type Question, rowsOf, type World, world } from './world.ts';

// "May X do Y in T" has two evaluators: decisions/rights.ts, which every call uses and which reads
// all permissions in one statement, and decisions/access.ts with context.ts, which also answers
// about single resources and explains; effective.ts caches what the first two answer from. All must give the same answer to every question.
//
//   BAILIWICK_RUNS=5000   number of models
//   BAILIWICK_SEED=42     repeats the models of an earlier run; a failure names its seed

const runs = Number(process.env['BAILIWICK_RUNS'] ?? 300);
const seed = process.env['BAILIWICK_SEED'];

const permissions = [
  'iam.users.read',
  'iam.users.write',
  'iam.users.*',
  'iam.tenant.delete',
  'iam.grants.read',
  'iam.platform.tenants.read',
  'iam.*',
  'billing.invoices.read',
  'billing.*',
  'wiki.write',
  '*',
];
const resources = ['', 'doc:1', 'doc:2'];

let opened: Awaited<ReturnType<typeof openModels>>;
before(async () => {
  opened = await openModels();
});
after(() => opened?.drop());

test(`Access_Check and Access_ListPermissions, from memory or not, Access_ListSubjects and Access_Explain agree with the rights of calls in ${runs} random models`, async (t) => {
  const figures = { questions: 0, answers: 0, allowed: 0 };
  let serial = 0;

  async function run(model: World, questions: readonly Question[]): Promise<void> {
    const number = ++serial;
    await opened.insert(rowsOf(model, number));
    const requests = questions.map((question) => question(number));
    const answers = (await Promise.all(requests.map(compare))).flat();
    figures.questions += requests.length;
    figures.answers += answers.length;
    figures.allowed += answers.filter(Boolean).length;
  }

  await fc.assert(
    fc.asyncProperty(world, fc.array(anyQuestion, { minLength: 6, maxLength: 6 }), run),
    { numRuns: runs, ...(seed !== undefined && { seed: Number(seed) }) },
  );
  t.diagnostic(JSON.stringify(figures));
  assert.ok(figures.allowed > figures.answers / 20, 'many answers are positive');
  assert.ok(figures.allowed < figures.answers / 2, 'many answers are negative');
});

const operation = { name: 'Access_ListSubjects' };

const pager = createPager([{ id: 'k1', key: randomBytes(32) }]);

/** Loads each value, or keeps it for ever. */
const uncached = { getOrLoad: async (_name, load) => (await load()).value } as RightsCache;
function caching(): RightsCache {
  const loaded = new Map<string, unknown>();
  return {
    async getOrLoad(name, load) {
      if (!loaded.has(name)) loaded.set(name, (await load()).value);
      return loaded.get(name);
    },
  } as RightsCache;
}
// One for all models: each has tenants and subjects of its own.
const cached = caching();

const handlersWith = (rightsCache: RightsCache) =>
  decisionHandlers({ database: opened.database, directory, rightsCache, pager });

/** Compares all answers to one question, and returns those about the whole tenant. */
async function compare({ tenant, principal, isSelf }: ReturnType<Question>): Promise<boolean[]> {
  const handlers = handlersWith(uncached);
  const call = callOf(principal, isSelf);
  const subject = isSelf ? '' : principal.id;
  const request = create(AccessCheckRequestSchema, {
    tenant,
    subject,
    checks: resources.flatMap((resource) =>
      permissions.map((permission) => ({ permission, resource })),
    ),
  });
  const listRequest = create(AccessListPermissionsRequestSchema, { tenant, subject });
  const [rights, checked, listed] = await Promise.all([
    rightsOf(onPool(opened.database), principal, tenant),
    handlers.check(request, call),
    handlers.listPermissions(listRequest, call),
  ]);
  // Loaded by the first question, remembered for the second.
  for (let time = 0; time < 2; time++) {
    const { check, listPermissions } = handlersWith(cached);
    assert.deepEqual(await check(request, call), checked);
    assert.deepEqual(await listPermissions(listRequest, call), listed);
  }
  const answers = (checked.results ?? []).map(({ allowed }) => allowed === true);
  const inTenant = answers.slice(0, permissions.length);
  const expected = permissions.map((permission) => holdsInTenant(rights, permission));
  const context = JSON.stringify({ tenant, principal, isSelf });
  assert.deepEqual(named(inTenant), named(expected), context);
  assert.deepEqual(
    listed.permissions,
    narrow(
      [...new Set(rights.inTenant)].filter((pattern) => !isPlatformOnly(pattern)),
      rights.narrowedTo,
    ).toSorted(),
    context,
  );
  await compareWithVoucher(tenant, principal, inTenant, context);
  await compareExplanations({ tenant, subject, call, answers, context });
  if (!isSelf) await compareSearches({ tenant, subject, call, answers, context });
  return inTenant;
}

/** A session under a voucher holds what its user holds and the principal of the voucher may grant. */
async function compareWithVoucher(
  tenant: string,
  principal: Principal,
  answers: readonly boolean[],
  context: string,
): Promise<void> {
  if (principal.voucher === '') return;
  const [answering] = readVoucher(principal.voucher);
  assert.ok(answering);
  const run = onPool(opened.database);
  const [own, theirs] = await Promise.all([
    rightsOf(run, { ...principal, voucher: '' }, tenant),
    rightsOf(run, { ...answering, ...anySession(tenant) }, tenant),
  ]);
  const expected = permissions.map(
    (permission) => holdsInTenant(own, permission) && mayGrant(theirs, permission),
  );
  assert.deepEqual(named(answers), named(expected), context);
}

type ExplainCase = {
  tenant: string;
  subject: string;
  call: Call;
  answers: readonly boolean[];
  context: string;
};

/** Explains the first allowed and the first denied answer in the whole tenant and on a resource. */
async function compareExplanations({ tenant, subject, call, answers, context }: ExplainCase) {
  const handlers = handlersWith(uncached);
  for (const [index, resource] of resources.slice(0, 2).entries()) {
    const here = answers.slice(index * permissions.length, (index + 1) * permissions.length);
    for (const expected of [true, false]) {
      const permission = permissions[here.indexOf(expected)];
      if (permission === undefined) continue;
      const request = { tenant, subject, permission, resource };
      const { allowed, paths, missing } = await handlers.explain(
        create(AccessExplainRequestSchema, request),
        call,
      );
      assert.deepEqual(
        [allowed, paths?.length !== 0, missing?.length === 0],
        [expected, expected, expected],
        `${context} ${JSON.stringify(request)}`,
      );
    }
  }
}

/**
 * Searches for the subject of an allowed and of a denied answer, in the whole tenant and on a
 * resource. A page begins just before the models' subjects of this number.
 */
async function compareSearches({ tenant, subject, call, answers, context }: ExplainCase) {
  const { listSubjects } = handlersWith(uncached);
  for (const [index, resource] of resources.slice(0, 2).entries()) {
    const here = answers.slice(index * permissions.length, (index + 1) * permissions.length);
    for (const expected of [true, false]) {
      const permission = permissions[here.indexOf(expected)];
      if (permission === undefined) continue;
      const request = {
        tenant,
        permission,
        resource,
        type: subject.slice(0, 3) === 'usr' ? 'user' : 'bot',
      };
      const binding = [operation.name, ...Object.values(request)];
      const cursor = pager.cursorAt(subject.slice(0, -1), binding);
      const { page } = await listSubjects(
        create(AccessListSubjectsRequestSchema, { ...request, page: { limit: 20, cursor } }),
        call,
      );
      assert.equal(
        (page?.items ?? []).some(({ id }) => id === subject),
        expected,
        `${context} ${JSON.stringify(request)}`,
      );
    }
  }
}

/** The call of the subject itself, or of another caller with iam.grants.read in the tenant. */
function callOf({ type, id, narrowedTo = [], ...session }: Principal, isSelf: boolean): Call {
  const caller = isSelf
    ? { type, id, narrowedTo, ...session }
    : {
        type: 'user',
        id: 'usr_other',
        narrowedTo: [],
        ssoTenant: '',
        limitedTo: '',
        assurance: '',
      };
  const allowedBy = { kind: isSelf ? 'handler' : 'tenant' };
  return { caller, allowedBy, operation } as unknown as Call;
}

const named = (answers: readonly boolean[]) =>
  permissions.map((permission, index) => `${permission}: ${answers[index]}`);
