import { bodyOf } from './answers.ts';
import type { Answer } from './harness.ts';
import { newAddress, password } from './people.ts';
import { type Call, idIn, newMember } from './token-endings.ts';

/**
 * A check that is allowed, a change after which it is denied, and perhaps one that undoes the change.
 * `token`: the caller of the check, if not the platform. `botTenant`: the tenant of a bot, if not
 * the check's.
 */
export type DecisionEnding = {
  check: { Tenant: string; Subject: string; Permission: string; Resource?: string };
  token?: string;
  botTenant?: string;
  end: () => Promise<Answer>;
  undo?: () => Promise<Answer>;
};

const Permission = 'app.reports.read';
const group = 'eng/backend/db';

/** A member of a tenant with a role that gives the permission, which nothing grants yet. */
export async function newSubject(call: Call) {
  const [{ tenant: Tenant }, { userId: UserID, token }] = await Promise.all([
    newMember(call),
    newMember(call),
  ]);
  const Role = { Tenant, Slug: 'reader', Name: 'Reader', Permissions: [Permission] };
  bodyOf(await call('Roles_Save', { Role }));
  bodyOf(await call('TenantMembers_Add', { Tenant, UserID }));
  return { Tenant, UserID, token, Role, check: { Tenant, Subject: UserID, Permission } };
}

type Subject = Awaited<ReturnType<typeof newSubject>>;
type Prepare = (call: Call) => Promise<DecisionEnding>;

/** The subject has the role by a grant of its own. */
const ofMember =
  (
    change: (call: Call, subject: Subject) => Omit<DecisionEnding, 'check'>,
    { asItself = false } = {},
  ): Prepare =>
  async (call) => {
    const subject = await newSubject(call);
    const { Tenant, UserID, check, token } = subject;
    bodyOf(await call('Grants_Add', { Grant: { Tenant, UserID, Role: 'reader' } }));
    return { check, ...(asItself && { token }), ...change(call, subject) };
  };

/** The subject is in the lowest of three nested groups, and the topmost has the role. */
const inGroups =
  (change: (call: Call, subject: Subject) => Omit<DecisionEnding, 'check'>): Prepare =>
  async (call) => {
    const subject = await newSubject(call);
    const { Tenant, UserID, check } = subject;
    for (const Path of ['eng', 'eng/backend', group])
      bodyOf(await call('Groups_Save', { Group: { Tenant, Path } }));
    bodyOf(await call('GroupGrants_Add', { Grant: { Tenant, Group: 'eng', Role: 'reader' } }));
    bodyOf(await call('Groups_AddMember', { Tenant, Group: group, UserID }));
    return { check, ...change(call, subject) };
  };

/** A bot of the tenant with the role. */
const ofBot =
  (
    change: (call: Call, subject: Subject & { Bot: string }) => Omit<DecisionEnding, 'check'>,
  ): Prepare =>
  async (call) => {
    const subject = await newSubject(call);
    const { Tenant, check } = subject;
    const Bot = idIn(await call('Bots_Save', { Bot: { Tenant, Name: 'deployer' } }), 'Bot');
    bodyOf(await call('BotGrants_Add', { Grant: { Tenant, Bot, Role: 'reader' } }));
    return { check: { ...check, Subject: Bot }, ...change(call, { ...subject, Bot }) };
  };

const both = (call: Call, end: string, undo: string, request: object) => ({
  end: () => call(end, request),
  undo: () => call(undo, request),
});

/** One change of each kind that ends a decision. */
export const decisionEndings: Record<string, Prepare> = {
  Grants_Remove: ofMember((call, { Tenant, UserID }) =>
    both(call, 'Grants_Remove', 'Grants_Add', { Grant: { Tenant, UserID, Role: 'reader' } }),
  ),
  async 'Grants_Remove on a resource'(call) {
    const { Tenant, UserID, check } = await newSubject(call);
    const Resource = 'doc:1';
    const Grant = { Tenant, UserID, Role: 'reader', Resource };
    bodyOf(await call('Grants_Add', { Grant }));
    return {
      check: { ...check, Resource },
      ...both(call, 'Grants_Remove', 'Grants_Add', { Grant }),
    };
  },
  async 'Grants_Remove on the platform'(call) {
    const { Tenant, UserID, check } = await newSubject(call);
    const Grant = { UserID, Role: 'admin', Platform: true };
    bodyOf(await call('Grants_Add', { Grant }));
    return {
      check: { ...check, Tenant, Permission: 'iam.webhooks.write' },
      ...both(call, 'Grants_Remove', 'Grants_Add', { Grant }),
    };
  },
  GroupGrants_Remove: inGroups((call, { Tenant }) => {
    const Grant = { Tenant, Group: 'eng', Role: 'reader' };
    return both(call, 'GroupGrants_Remove', 'GroupGrants_Add', { Grant });
  }),
  Groups_RemoveMember: inGroups((call, { Tenant, UserID }) =>
    both(call, 'Groups_RemoveMember', 'Groups_AddMember', { Tenant, Group: group, UserID }),
  ),
  'Groups_Delete of the granted group': inGroups((call, { Tenant }) => ({
    end: () => call('Groups_Delete', { Tenant, Path: 'eng' }),
  })),
  'Groups_Delete of the member’s group': inGroups((call, { Tenant }) => ({
    end: () => call('Groups_Delete', { Tenant, Path: group }),
  })),
  Roles_Save: ofMember((call, { Role }) => ({
    end: () => call('Roles_Save', { Role: { ...Role, Permissions: ['app.other'] } }),
    undo: () => call('Roles_Save', { Role }),
  })),
  TenantMembers_Disable: ofMember((call, { Tenant, UserID }) =>
    both(call, 'TenantMembers_Disable', 'TenantMembers_Enable', { Tenant, UserID }),
  ),
  TenantMembers_Remove: ofMember((call, { Tenant, UserID }) => ({
    end: () => call('TenantMembers_Remove', { Tenant, UserID }),
  })),
  Users_Disable: ofMember((call, { UserID }) =>
    both(call, 'Users_Disable', 'Users_Enable', { UserID }),
  ),
  Tenants_Suspend: ofMember(
    (call, { Tenant }) => both(call, 'Tenants_Suspend', 'Tenants_Resume', { Tenant }),
    { asItself: true },
  ),
  Tenants_Delete: ofMember(
    (call, { Tenant }) => both(call, 'Tenants_Delete', 'Tenants_Restore', { Tenant }),
    { asItself: true },
  ),
  'Tenants_Update with RequireSso': ofMember(
    (call, { Tenant }) => {
      const set = (RequireSso: boolean) =>
        call('Tenants_Update', { Tenant: { ID: Tenant, Settings: { RequireSso } } });
      return { end: () => set(true), undo: () => set(false) };
    },
    { asItself: true },
  ),
  'Tenants_Update with RequireFactor': ofMember(
    (call, { Tenant }) => {
      const set = (RequireFactor: string) =>
        call('Tenants_Update', { Tenant: { ID: Tenant, Settings: { RequireFactor } } });
      return { end: () => set('any'), undo: () => set('off') };
    },
    { asItself: true },
  ),
  BotGrants_Remove: ofBot((call, { Tenant, Bot }) =>
    both(call, 'BotGrants_Remove', 'BotGrants_Add', { Grant: { Tenant, Bot, Role: 'reader' } }),
  ),
  'Bots_Save of an inactive bot': ofBot((call, { Tenant, Bot }) => {
    const save = (Active: boolean) =>
      call('Bots_Save', { Bot: { Tenant, ID: Bot, Name: 'deployer', Active } });
    return { end: () => save(false), undo: () => save(true) };
  }),
  Bots_Delete: ofBot((call, { Tenant, Bot }) => ({
    end: () => call('Bots_Delete', { Tenant, ID: Bot }),
  })),
  async 'Tenants_Suspend, for its bot in another tenant'(call) {
    const [own, other] = await Promise.all([newMember(call), newMember(call)]);
    const saved = await call('Bots_Save', { Bot: { Tenant: own.tenant, Name: 'deployer' } });
    const Bot = idIn(saved, 'Bot');
    bodyOf(await call('BotGrants_Add', { Grant: { Bot, Role: 'platform-owner', Platform: true } }));
    return {
      check: { Tenant: other.tenant, Subject: Bot, Permission: 'iam.webhooks.write' },
      botTenant: own.tenant,
      ...both(call, 'Tenants_Suspend', 'Tenants_Resume', { Tenant: own.tenant }),
    };
  },
  async Users_Delete(call) {
    const { Tenant, check } = await newSubject(call);
    const User = { Email: newAddress() };
    const UserID = idIn(await call('Users_Create', { User, Password: password }), 'User');
    bodyOf(await call('TenantMembers_Add', { Tenant, UserID }));
    bodyOf(await call('Grants_Add', { Grant: { Tenant, UserID, Role: 'reader' } }));
    return {
      check: { ...check, Subject: UserID },
      end: () => call('Users_Delete', { UserID }),
    };
  },
};
