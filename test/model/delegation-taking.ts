import { mayGive, roles } from './delegation-model.ts';
import {
  botWith,
  customRoles,
  fresh,
  groupWith,
  holderOf,
  newMember,
  type Path,
  scimGroupWith,
} from './delegation-stage.ts';

/** By hand, a giver takes only roles that it may give. */
const mayTake = mayGive;

/** The paths by which a person or bot takes a role from a holder by hand. */
export const taking: Path[] = [
  ...(['Remove', 'Disable'] as const).map(
    (verb): Path => ({
      name: `TenantMembers_${verb}`,
      async prepare(stage, giver, role) {
        const { Tenant } = stage;
        const { id: UserID } = await holderOf(stage, role);
        return () => stage.call(giver, `TenantMembers_${verb}`, { Tenant, UserID });
      },
      allows: mayTake,
    }),
  ),
  {
    name: 'Grants_Remove',
    async prepare(stage, giver, Role) {
      const { Tenant } = stage;
      const { id: UserID } = await holderOf(stage, Role);
      return () => stage.call(giver, 'Grants_Remove', { Grant: { Tenant, UserID, Role } });
    },
    allows: mayTake,
  },
  {
    name: 'Groups_RemoveMember',
    async prepare(stage, giver, role) {
      const { Tenant } = stage;
      const [Group, { id: UserID }] = [await groupWith(stage, role), await newMember(stage)];
      await stage.asOwner('Groups_AddMember', { Tenant, Group, UserID });
      return () => stage.call(giver, 'Groups_RemoveMember', { Tenant, Group, UserID });
    },
    allows: mayTake,
  },
  {
    name: 'TenantMembers_Remove of a member who holds by a group',
    async prepare(stage, giver, role) {
      const { Tenant } = stage;
      const [Group, { id: UserID }] = [await groupWith(stage, role), await newMember(stage)];
      await stage.asOwner('Groups_AddMember', { Tenant, Group, UserID });
      return () => stage.call(giver, 'TenantMembers_Remove', { Tenant, UserID });
    },
    allows: mayTake,
  },
  {
    name: 'Groups_Delete',
    async prepare(stage, giver, role) {
      const { Tenant } = stage;
      const Path = await groupWith(stage, role);
      return () => stage.call(giver, 'Groups_Delete', { Tenant, Path });
    },
    allows: mayTake,
  },
  {
    name: 'Groups_Delete of a group of the directory',
    async prepare(stage, giver, role) {
      const { Tenant } = stage;
      const { path: Path } = await scimGroupWith(stage, role);
      return () => stage.call(giver, 'Groups_Delete', { Tenant, Path });
    },
    allows: mayTake,
  },
  {
    name: 'GroupGrants_Remove',
    async prepare(stage, giver, Role) {
      const { Tenant } = stage;
      const Group = await groupWith(stage, Role);
      return () => stage.call(giver, 'GroupGrants_Remove', { Grant: { Tenant, Group, Role } });
    },
    allows: mayTake,
  },
  {
    name: 'BotGrants_Remove',
    async prepare(stage, giver, Role) {
      const { Tenant } = stage;
      const { ID: Bot } = await botWith(stage, Role);
      return () => stage.call(giver, 'BotGrants_Remove', { Grant: { Tenant, Bot, Role } });
    },
    allows: mayTake,
  },
  {
    name: 'Bots_Delete',
    async prepare(stage, giver, role) {
      const { Tenant } = stage;
      const { ID } = await botWith(stage, role);
      return () => stage.call(giver, 'Bots_Delete', { Tenant, ID });
    },
    allows: mayTake,
  },
  {
    name: 'the switching off of a bot',
    async prepare(stage, giver, role) {
      const { Tenant } = stage;
      const { ID, Name } = await botWith(stage, role);
      return () => stage.call(giver, 'Bots_Save', { Bot: { ID, Tenant, Name, Active: false } });
    },
    allows: mayTake,
  },
  {
    name: 'Roles_Save without the permissions of a role that is held',
    async prepare(stage, giver, role) {
      const { Tenant, asOwner } = stage;
      const { id: UserID } = await newMember(stage);
      const Slug = fresh('held');
      await asOwner('Roles_Save', { Role: { Tenant, Slug, Permissions: [...roles[role]] } });
      await asOwner('Grants_Add', { Grant: { Tenant, UserID, Role: Slug } });
      return () => stage.call(giver, 'Roles_Save', { Role: { Tenant, Slug, Permissions: [] } });
    },
    allows: mayTake,
    only: ['member', ...customRoles],
  },
];
