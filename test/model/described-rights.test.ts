import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { decisionHandlers } from '@bailiwick/access/decisions/access.ts';
import type { Principal } from '@bailiwick/access/decisions/rights.ts';
import { describeRights } from '@bailiwick/access/effective-rights.ts';
import type { RightsCache } from '@bailiwick/broker';
import { includes, sessionProof } from '@bailiwick/contract';
import { type Call, createPager } from '@bailiwick/pipeline';
import { AccessCheckRequestSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/access_pb.ts';
import {
  DescribeRightsRequestSchema,
  type DescribeRightsResponse,
  DescribeRightsResponseSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { onPool } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { durationMs } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { directory, openModels } from './model-database.ts';
import { anyQuestion, type Question, rowsOf, type World, world } from './world.ts';

// A follower in an application decides by the grants that Authority.DescribeRights returns. Here it
// decides as docs/follow.md says, and must agree with Access_Check in each model.
//
//   BAILIWICK_RUNS=5000   number of models
//   BAILIWICK_SEED=42     repeats the models of an earlier run; a failure names its seed

const runs = Number(process.env['BAILIWICK_RUNS'] ?? 1000);
const seed = process.env['BAILIWICK_SEED'];

const permissions = [
  'iam.users.read',
  'iam.users.*',
  'iam.tenant.delete',
  'iam.platform.tenants.read',
  'iam.platform.*',
  'iam.internal.deliver',
  'iam.*',
  'billing.invoices.read',
  'billing.*',
  'wiki.write',
  'unknown',
  '*',
];
const resources = ['', 'doc:1', 'doc:2', 'doc:3'];

let opened: Awaited<ReturnType<typeof openModels>>;
before(async () => {
  opened = await openModels();
});
after(() => opened?.drop());

const figures = { answers: 0, allowed: 0, refused: 0 };

test(`the grants that DescribeRights returns decide like Access_Check in ${runs} random models`, async (t) => {
  let serial = 0;
  async function run(model: World, questions: readonly Question[]): Promise<void> {
    const number = ++serial;
    await opened.insert(rowsOf(model, number));
    await Promise.all(questions.map((question) => compare(question(number))));
  }
  await fc.assert(
    fc.asyncProperty(world, fc.array(anyQuestion, { minLength: 4, maxLength: 4 }), run),
    { numRuns: runs, ...(seed !== undefined && { seed: Number(seed) }) },
  );
  t.diagnostic(JSON.stringify(figures));
  assert.ok(figures.allowed > figures.answers / 20, 'many answers are positive');
  assert.ok(figures.allowed < figures.answers / 2, 'many answers are negative');
  assert.ok(figures.refused > 0, 'some sessions are refused');
});

const grantsOf = (count: number, changes: object) =>
  Array.from({ length: count }, (_, index) => ({
    tenant: 'tnt_own',
    id: `grt_own_${index}`,
    subject_type: 'user',
    subject: 'usr_own',
    role: 'member',
    resource: `doc:${index}`,
    created_by: '',
    created_at: new Date(),
    mapped_by: '',
    unasked: false,
    ...changes,
  }));

test('DescribeRights says how long its answer lasts, and describes 1,000 grants and no more', async () => {
  const times = { created_at: new Date(), updated_at: new Date() };
  const texts = { name: '', description: '', metadata: {}, branding: {}, settings: {} };
  const member = { source: 'admin', name_key: '', last_word_key: '', email_key: '' };
  await opened.insert({
    tenant: [{ ...times, ...texts, id: 'tnt_own', slug: 'own', status: 'active', created_by: '' }],
    tenant_member: [
      {
        ...member,
        tenant: 'tnt_own',
        user_id: 'usr_own',
        status: 'active',
        joined_at: new Date(),
        disabled_by: '',
      },
    ],
    grant_entry: grantsOf(1000, { expires_at: new Date(Date.now() + 60_000) }),
  });
  const session = { ssoTenant: '', limitedTo: '', assurance: '', ownAssurance: '' };
  const user = { type: 'user', id: 'usr_own', ...session, operator: '', voucher: '' };
  for (const withoutSession of [true, false]) {
    const { effective, sets, grants } = await describe('tnt_own', user, withoutSession);
    assert.deepEqual([sets.length, grants.length], [1, 1000]);
    assert.deepEqual(grants.find(({ resource }) => resource === 'doc:7')?.sets, [0]);
    assert.ok(effective?.unchangedFor);
    const lastsMs = durationMs(effective.unchangedFor);
    assert.ok(lastsMs > 30_000 && lastsMs <= 60_000, String(lastsMs));
  }
  await opened.insert({ grant_entry: grantsOf(1, { id: 'grt_more', resource: 'doc:more' }) });
  await assert.rejects(describe('tnt_own', user, true), {
    code: 'failed_precondition',
    reason: 'TOO_MANY_GRANTS',
    params: { Limit: '1000' },
  });
});

const uncached = { getOrLoad: async (_name, load) => (await load()).value } as RightsCache;

async function compare({ tenant, principal, isSelf }: ReturnType<Question>): Promise<void> {
  const context = JSON.stringify({ tenant, principal, isSelf });
  const described = await describe(tenant, principal, !isSelf);
  // The application refuses the token of such a session.
  if (isSelf && principal.type === 'user' && described.effective?.session?.refusal !== 'none') {
    figures.refused++;
    assert.deepEqual([described.sets, described.grants], [[], []], context);
    return;
  }
  const checks = resources.flatMap((resource) =>
    permissions.map((permission) => ({ permission, resource })),
  );
  const decided = checks.map(
    ({ permission, resource }) =>
      `${permission} on ${resource}: ${decide(described, permission, resource)}`,
  );
  assert.deepEqual(decided, await checkedBy(tenant, principal, isSelf, checks), context);
  const content = described.sets.map((set) => set.permissions.toSorted().join(' '));
  assert.equal(new Set(content).size, content.length, 'no set is there twice');
  const keys = described.effective?.cacheKeys ?? [];
  assert.ok(
    keys.includes(`${principal.type}:${principal.id}`) && keys.includes(`tenant:${tenant}`),
  );
  figures.answers += decided.length;
  figures.allowed += decided.filter((line) => line.endsWith('true')).length;
}

async function describe(tenant: string, principal: Principal, withoutSession: boolean) {
  const { type, id, botTenant = '', narrowedTo = [] } = principal;
  const request = create(DescribeRightsRequestSchema, {
    withoutSession,
    principal: {
      principalType: type,
      principalId: id,
      tenant,
      // Without a session these do not count.
      ...(!withoutSession && {
        botTenant,
        narrowedTo: [...narrowedTo],
        ...sessionProof(principal),
      }),
    },
  });
  const deps = { run: onPool(opened.database), directory };
  const answer = await describeRights(deps, request, {} as unknown as Call);
  return create(DescribeRightsResponseSchema, answer);
}

/** Decides as docs/follow.md says. */
function decide(
  { sets, grants }: DescribeRightsResponse,
  permission: string,
  resource: string,
): boolean {
  return grants
    .filter((grant) => grant.resource === '' || grant.resource === resource)
    .flatMap((grant) => grant.sets)
    .some((index) => includes(sets[index]?.permissions ?? [], permission));
}

async function checkedBy(
  tenant: string,
  principal: Principal,
  isSelf: boolean,
  checks: ReadonlyArray<{ permission: string; resource: string }>,
): Promise<string[]> {
  const { type, id, narrowedTo = [], ...session } = principal;
  const other = { type: 'user', id: 'usr_other', narrowedTo: [] };
  const call = {
    caller: isSelf ? { type, id, narrowedTo, ...session } : other,
    allowedBy: { kind: isSelf ? 'handler' : 'tenant' },
  } as unknown as Call;
  const { check } = decisionHandlers({
    database: opened.database,
    directory,
    rightsCache: uncached,
    pager: createPager([{ id: 'k1', key: randomBytes(32) }]),
  });
  const subject = isSelf ? '' : id;
  const request = { tenant, subject, checks: [...checks] };
  const { results } = await check(create(AccessCheckRequestSchema, request), call);
  return (results ?? []).map(
    (result) => `${result.permission} on ${result.resource}: ${result.allowed}`,
  );
}
