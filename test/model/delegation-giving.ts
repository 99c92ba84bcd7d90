import { newAddress } from '../support/people.ts';
import { type Giver, mayGive, mayHandOut, roles } from './delegation-model.ts';
import {
  botWith,
  customRoles,
  fresh,
  groupWith,
  holderOf,
  newMember,
  type Path,
  type Stage,
} from './delegation-stage.ts';

/** The paths by which a person or bot gives a role by hand. */
export const giving: Path[] = [
  {
    name: 'a grant',
    async prepare({ call, Tenant, ...stage }, giver, Role) {
      const { id: UserID } = await newMember({ call, Tenant, ...stage });
      return () => call(giver, 'Grants_Add', { Grant: { Tenant, UserID, Role } });
    },
    allows: mayGive,
  },
  {
    name: 'a grant on a resource',
    async prepare(stage, giver, Role) {
      const { id: UserID } = await newMember(stage);
      const { Tenant } = stage;
      return () =>
        stage.call(giver, 'Grants_Add', { Grant: { Tenant, UserID, Role, Resource: 'r:1' } });
    },
    allows: mayGive,
  },
  {
    name: 'membership of a group',
    async prepare(stage, giver, role) {
      const { Tenant } = stage;
      const [Group, { id: UserID }] = [await groupWith(stage, role), await newMember(stage)];
      return () => stage.call(giver, 'Groups_AddMember', { Tenant, Group, UserID });
    },
    allows: mayGive,
  },
  {
    name: 'membership of a group below another',
    async prepare(stage, giver, role) {
      const { Tenant } = stage;
      const Group = `${await groupWith(stage, role)}/below`;
      await stage.asOwner('Groups_Save', { Group: { Tenant, Path: Group } });
      const { id: UserID } = await newMember(stage);
      return () => stage.call(giver, 'Groups_AddMember', { Tenant, Group, UserID });
    },
    allows: mayGive,
  },
  {
    name: 'a grant of a group',
    async prepare(stage, giver, Role) {
      const { Tenant } = stage;
      const Group = await groupWith(stage, 'member');
      return () => stage.call(giver, 'GroupGrants_Add', { Grant: { Tenant, Group, Role } });
    },
    allows: mayGive,
  },
  {
    name: 'a grant of a group that does not exist above a group with members',
    async prepare(stage, giver, Role) {
      const { Tenant } = stage;
      const Group = fresh('above');
      await stage.asOwner('Groups_Save', { Group: { Tenant, Path: `${Group}/below` } });
      await stage.call(giver, 'Groups_Save', { Group: { Tenant, Path: Group } });
      return () => stage.call(giver, 'GroupGrants_Add', { Grant: { Tenant, Group, Role } });
    },
    allows: mayGive,
  },
  {
    name: 'a grant of a bot',
    async prepare(stage, giver, Role) {
      const { Tenant } = stage;
      const { ID: Bot } = await botWith(stage, 'member');
      return () => stage.call(giver, 'BotGrants_Add', { Grant: { Tenant, Bot, Role } });
    },
    allows: mayGive,
  },
  {
    name: 'a key of a bot',
    async prepare(stage, giver, role) {
      const { Tenant } = stage;
      const { ID: Bot } = await botWith(stage, role);
      return () => stage.call(giver, 'BotKeys_Create', { Tenant, Bot, Name: 'k' });
    },
    allows: mayGive,
  },
  {
    name: 'a trust of a bot',
    async prepare(stage, giver, role) {
      const { Tenant } = stage;
      const { ID: Bot } = await botWith(stage, role);
      const Trust = {
        Tenant,
        Bot,
        Issuer: 'https://id.example.com',
        Audience: 'bailiwick',
        Subject: fresh('subject'),
      };
      return () => stage.call(giver, 'BotTrusts_Save', { Trust });
    },
    allows: mayGive,
  },
  {
    name: 'the switching on of a bot',
    async prepare(stage, giver, role) {
      const { Tenant } = stage;
      const { ID, Name } = await botWith(stage, role);
      await stage.asOwner('Bots_Save', { Bot: { ID, Tenant, Name, Active: false } });
      return () => stage.call(giver, 'Bots_Save', { Bot: { ID, Tenant, Name, Active: true } });
    },
    allows: mayGive,
  },
  {
    name: 'an invitation with a role',
    prepare: ({ call, Tenant }, giver, role) =>
      Promise.resolve(() =>
        call(giver, 'TenantInvitations_Create', { Tenant, Email: newAddress(), Roles: [role] }),
      ),
    allows: mayGive,
  },
  {
    name: 'an invitation to a group',
    async prepare(stage, giver, role) {
      const { Tenant } = stage;
      const Groups = [await groupWith(stage, role)];
      return () =>
        stage.call(giver, 'TenantInvitations_Create', { Tenant, Email: newAddress(), Groups });
    },
    allows: mayGive,
  },
  {
    name: 'permissions in a role',
    prepare: ({ call, Tenant }, giver, role) =>
      Promise.resolve(() =>
        call(giver, 'Roles_Save', {
          Role: { Tenant, Slug: fresh('role'), Permissions: [...roles[role]] },
        }),
      ),
    allows: mayGive,
    only: ['member', ...customRoles],
  },
  {
    name: "the tenant's default role",
    async prepare({ call, asOwner, Tenant }, giver, role) {
      await asOwner('Tenants_Update', { Tenant: { ID: Tenant, Settings: { DefaultRole: '' } } });
      return async () => {
        const Settings = { DefaultRole: role };
        const answer = await call(giver, 'Tenants_Update', { Tenant: { ID: Tenant, Settings } });
        await asOwner('Tenants_Update', { Tenant: { ID: Tenant, Settings: { DefaultRole: '' } } });
        return answer;
      };
    },
    allows: mayGive,
    only: customRoles,
  },
  {
    name: 'the parent of the groups of directories',
    async prepare(stage, giver, role) {
      const { call, asOwner, Tenant } = stage;
      const ScimGroupParent = await groupWith(stage, role);
      return async () => {
        const Settings = { ScimGroupParent };
        const answer = await call(giver, 'Tenants_Update', { Tenant: { ID: Tenant, Settings } });
        await asOwner('Tenants_Update', {
          Tenant: { ID: Tenant, Settings: { ScimGroupParent: '' } },
        });
        return answer;
      };
    },
    allows: mayHandOut,
    only: ['member', ...customRoles],
  },
  {
    name: 'the enabling of a member',
    async prepare(stage, giver, role) {
      const { Tenant } = stage;
      const { id: UserID } = await holderOf(stage, role);
      await stage.asOwner('TenantMembers_Disable', { Tenant, UserID });
      return () => stage.call(giver, 'TenantMembers_Enable', { Tenant, UserID });
    },
    allows: mayGive,
  },
  {
    name: 'a default role of a provider',
    prepare: (stage, giver, role) => savingProvider(stage, giver, { DefaultRoles: [role] }),
    allows: mayGive,
  },
  {
    name: 'a mapping to a role',
    prepare: (stage, giver, role) =>
      savingProvider(stage, giver, { GroupMappings: [{ Value: 'a', Role: role }] }),
    allows: mayGive,
  },
  {
    name: 'a mapping to a group',
    prepare: async (stage, giver, role) =>
      savingProvider(stage, giver, {
        GroupMappings: [{ Value: 'a', Group: await groupWith(stage, role) }],
      }),
    allows: mayGive,
  },
  {
    name: 'a planned grant',
    async prepare(stage, giver, Role) {
      const { Tenant } = stage;
      const { id: UserID } = await newMember(stage);
      const Changes = [{ Grants_Add: { Grant: { Tenant, UserID, Role } } }];
      return async () => {
        const answer = await stage.call(giver, 'Access_Plan', { Tenant, Changes });
        return answer;
      };
    },
    allows: mayGive,
  },
];

async function savingProvider({ call, Tenant }: Stage, giver: Giver, fields: object) {
  const Provider = {
    Tenant,
    Kind: 'oidc',
    Name: 'Staff',
    Issuer: 'https://id.example.com',
    ClientID: 'bailiwick',
    ...fields,
  };
  return async () => {
    const answer = await call(giver, 'Sso_SaveProvider', { Provider, Secret: 's' });
    // A tenant has a limited number of providers.
    const saved = answer.body['Provider'] as { ID: string } | undefined;
    if (saved) await call('owner', 'Sso_DeleteProvider', { Tenant, ID: saved.ID });
    return answer;
  };
}
