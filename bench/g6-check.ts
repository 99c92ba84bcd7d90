import { holdsInTenant, permissionBitmap, permissions } from '@bailiwick/contract';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { median } from '@bailiwick/test/support/numbers.ts';
import { create } from '@bufbuild/protobuf';
import { newEnforcer, newModelFromString } from 'casbin';
import { type Bench, compareCost, interleave } from './bench.ts';

const policies = 1000;
const model = `
[request_definition]
r = sub, dom, act
[policy_definition]
p = sub, dom, act
[role_definition]
g = _, _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = g(r.sub, p.sub, r.dom) && r.dom == p.dom && r.act == p.act`;

/**
 * G6, the permission check that every operation makes in its own process: whether a caller has a
 * permission in a tenant. Compared with casbin with roles in domains and as many policies, the
 * caller's last.
 */
export const check: Bench = async ({ seconds, rounds }) => {
  const enforcer = await newEnforcer(newModelFromString(model));
  await enforcer.addPolicies(
    Array.from({ length: policies }, (_, index) => [
      `role-${index}`,
      'tnt_1',
      `iam.area${index}.write`,
    ]),
  );
  await enforcer.addGroupingPolicy('ada', `role-${policies - 1}`, 'tnt_1');
  const permission = `iam.area${policies - 1}.write`;
  if (!enforcer.enforceSync('ada', 'tnt_1', permission))
    throw new Error('casbin denies a permission that it should allow');

  const caller = create(CallerSchema, {
    type: 'user',
    id: 'ada',
    tenant: 'tnt_1',
    permissions: permissionBitmap(() => true),
  });
  const last = permissions.at(-1) ?? '';
  const results = await interleave(
    {
      ours: () =>
        Promise.resolve(microsOf(() => holdsInTenant(caller, last, 'tnt_1'), seconds, 10_000)),
      casbin: () =>
        Promise.resolve(
          microsOf(() => enforcer.enforceSync('ada', 'tnt_1', permission), seconds, 10),
        ),
    },
    rounds,
  );
  const row = {
    id: 'G6',
    what: `a permission check in the process, ${policies} policies`,
    unit: 'µs',
  };
  return [
    { ...row, ours: median(results.ours), target: { most: 2 } },
    compareCost(
      { ...row, against: 'casbin', target: { least: 100 } },
      results.ours,
      results.casbin,
    ),
  ];
};

/** The time of one call, measured over batches so that reading the clock does not count. */
function microsOf(ask: () => boolean, seconds: number, batch: number): number {
  const until = performance.now() + seconds * 1000;
  const started = performance.now();
  let calls = 0;
  let allowed = 0;
  while (performance.now() < until) {
    for (let index = 0; index < batch; index++) allowed += Number(ask());
    calls += batch;
  }
  if (allowed !== calls) throw new Error('a check was denied');
  return ((performance.now() - started) * 1000) / calls;
}
