import { bodyOf } from '../../support/answers.ts';
import type { Topology } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

export type Path = {
  Grant: string;
  Group: string;
  InheritedFrom: string;
  Role: string;
  Permission: string;
};

type Explanation = { Allowed: boolean; Paths: Path[]; Missing: string[] };

type Difference = { Subject: string; Permission: string; Resource: string };

type Plan = {
  Gained: Difference[];
  Lost: Difference[];
  Warnings: string[];
  Refusals: Array<{ Index: number; Code: string; Messages: string[] }>;
};

export type Decisions = Awaited<ReturnType<typeof startDecisions>>;

/** A tenant with grants and the calls of the suites about decisions. */
export async function startDecisions(topology: Topology) {
  const stack = await sharedStack(topology);
  const [owner, person, other] = await Promise.all([signUp(stack), signUp(stack), signUp(stack)]);
  const Tenant = await createTenant(stack, owner.token);
  const ask = (operation: string, body: object, token = owner.token) =>
    stack.call(operation, operation.startsWith('Access_') ? { Tenant, ...body } : body, token);
  const explain = async (Permission: string, body: object = {}) =>
    bodyOf(
      await ask('Access_Explain', { Subject: person.id, Permission, ...body }),
    ) as unknown as Explanation;
  const plan = async (...Changes: object[]) =>
    bodyOf(await ask('Access_Plan', { Changes })) as unknown as Plan;
  const call = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, owner.token));
  for (const user of [person, other])
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: user.id }, stack.platformKey));
  await call('Roles_Save', {
    Role: { Tenant, Slug: 'editor', Permissions: ['app.notes.*', 'iam.webhooks.read'] },
  });
  await call('Roles_Save', {
    Role: { Tenant, Slug: 'reader', Permissions: ['app.reports.read'] },
  });
  for (const Path of ['eng', 'eng/backend']) await call('Groups_Save', { Group: { Tenant, Path } });
  await call('Groups_AddMember', { Tenant, Group: 'eng/backend', UserID: person.id });
  await call('GroupGrants_Add', { Grant: { Tenant, Group: 'eng', Role: 'editor' } });
  await call('Grants_Add', {
    Grant: { Tenant, UserID: person.id, Role: 'reader', Resource: 'report-7' },
  });

  return { stack, owner, person, other, Tenant, ask, explain, plan, stop: () => stack.stop() };
}
