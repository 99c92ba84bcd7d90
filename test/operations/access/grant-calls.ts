import { bodyOf, readList } from '../../support/answers.ts';
import type { Stack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';

export type Grant = {
  ID: string;
  Tenant: string;
  Platform?: boolean;
  UserID?: string;
  Group?: string;
  Bot?: string;
  Role: string;
  Resource: string;
  ExpiresAt?: string;
  CreatedBy: string;
};

type Person = Awaited<ReturnType<typeof signUp>>;

export type Grants = Awaited<ReturnType<typeof startGrants>>;

/** A tenant with members, a role and groups, and the calls of the suites about grants. */
export async function startGrants(stack: Stack) {
  const [owner, admin, person, stranger, disabled] = await Promise.all([
    signUp(stack),
    signUp(stack),
    signUp(stack),
    signUp(stack),
    signUp(stack),
  ]);
  const Tenant = await createTenant(stack, owner.token);
  const grant = (fields: object, token = owner.token) =>
    stack.call('Grants_Add', { Grant: { Tenant, ...fields } }, token);
  const withdraw = (fields: object, token = owner.token) =>
    stack.call('Grants_Remove', { Grant: { Tenant, ...fields } }, token);
  const grantGroup = (fields: object, token = owner.token) =>
    stack.call('GroupGrants_Add', { Grant: { Tenant, ...fields } }, token);
  /** A grant as stored, without the tenant of these tests. */
  const onPlatform = (
    operation: string,
    fields: object,
    token: string | undefined = stack.platformKey,
  ) => stack.call(operation, { Grant: fields }, token);
  const listed = async (operation = 'Grants_ListByTenant') =>
    (await readList<Grant>(stack, operation, { Tenant }, owner.token)).items;
  const seesEndpoints = async (who: Person) =>
    (await stack.call('Webhooks_ListEndpoints', { Tenant }, who.token)).status === 200;
  for (const { id: UserID } of [admin, person])
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID }, stack.platformKey));
  bodyOf(await grant({ UserID: admin.id, Role: 'admin' }));
  bodyOf(
    await stack.call(
      'Roles_Save',
      { Role: { Tenant, Slug: 'editor', Permissions: ['app.notes.write', 'iam.webhooks.read'] } },
      owner.token,
    ),
  );
  for (const Path of ['eng', 'eng/backend'])
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path } }, owner.token));

  return {
    stack,
    owner,
    admin,
    person,
    stranger,
    disabled,
    Tenant,
    grant,
    withdraw,
    grantGroup,
    onPlatform,
    listed,
    seesEndpoints,
    stop: () => stack.stop(),
  };
}
