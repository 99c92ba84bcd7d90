import assert from 'node:assert/strict';
import { patchOf, personOf } from '../operations/access/scim-calls.ts';
import { type Giver, mayEndBySource, mayHandOut, type Role } from './delegation-model.ts';
import {
  customRoles,
  fresh,
  groupWith,
  holderOf,
  newMember,
  type Path,
  scimGroupWith,
} from './delegation-stage.ts';

/** The paths by which the directory that a giver has connected gives a role. */
export const handingOut: Path[] = [
  {
    name: 'the directory adds a person to a group',
    async prepare(stage, giver, role) {
      const { id } = await scimGroupWith(stage, role);
      const { scim: member } = await newMember(stage);
      const join = patchOf({ op: 'add', path: 'members', value: [{ value: member }] });
      return () => stage.scim(giver, 'PATCH', `Groups/${id}`, join);
    },
    allows: mayHandOut,
  },
  {
    name: 'the directory replaces the members of a group',
    async prepare(stage, giver, role) {
      const { id, path } = await scimGroupWith(stage, role);
      const { scim: member } = await newMember(stage);
      const body = { displayName: path, members: [{ value: member }] };
      return () => stage.scim(giver, 'PUT', `Groups/${id}`, body);
    },
    allows: mayHandOut,
  },
  {
    name: 'the directory creates a group below the parent',
    async prepare(stage, giver, role) {
      const { asOwner, Tenant } = stage;
      const parent = await groupWith(stage, 'member');
      const { scim: member } = await newMember(stage);
      await asOwner('Tenants_Update', {
        Tenant: { ID: Tenant, Settings: { ScimGroupParent: parent } },
      });
      await asOwner('GroupGrants_Add', { Grant: { Tenant, Group: parent, Role: role } });
      return async () => {
        const body = { displayName: fresh('team'), members: [{ value: member }] };
        const answer = await stage.scim(giver, 'POST', 'Groups', body);
        await asOwner('Tenants_Update', {
          Tenant: { ID: Tenant, Settings: { ScimGroupParent: '' } },
        });
        return answer;
      };
    },
    allows: mayHandOut,
  },
  {
    name: 'the directory makes a member with the default role',
    async prepare({ asOwner, Tenant, scim, directory }, giver, role) {
      await asOwner('Tenants_Update', { Tenant: { ID: Tenant, Settings: { DefaultRole: role } } });
      return async () => {
        const answer = await scim(giver, 'POST', 'Users', personOf(directory.address(fresh('p'))));
        await asOwner('Tenants_Update', { Tenant: { ID: Tenant, Settings: { DefaultRole: '' } } });
        return answer;
      };
    },
    allows: mayHandOut,
    only: ['member', ...customRoles],
  },
  {
    name: 'the directory enables a member whom it has disabled',
    async prepare(stage, giver, role) {
      const { scim, id: UserID } = await newMember(stage);
      const { asOwner, Tenant } = stage;
      const active = (isActive: boolean) =>
        patchOf({ op: 'replace', path: 'active', value: isActive });
      assert.equal((await stage.scim(giver, 'PATCH', `Users/${scim}`, active(false))).status, 200);
      await asOwner('Grants_Add', { Grant: { Tenant, UserID, Role: role } });
      return () => stage.scim(giver, 'PATCH', `Users/${scim}`, active(true));
    },
    allows: mayHandOut,
  },
];

const bySource = (_giver: Giver, role: Role) => mayEndBySource(role);

/** The paths by which such a directory takes a role. */
export const endings: Path[] = [
  {
    name: 'the directory disables a member',
    async prepare(stage, giver, role) {
      const { scim } = await holderOf(stage, role);
      const leave = patchOf({ op: 'replace', path: 'active', value: false });
      return () => stage.scim(giver, 'PATCH', `Users/${scim}`, leave);
    },
    allows: bySource,
  },
  {
    name: 'the directory deletes a member',
    async prepare(stage, giver, role) {
      const { scim } = await holderOf(stage, role);
      return () => stage.scim(giver, 'DELETE', `Users/${scim}`);
    },
    allows: bySource,
  },
  {
    name: 'the directory removes a member from a group',
    async prepare(stage, giver, role) {
      const { scim: member } = await newMember(stage);
      const { id } = await scimGroupWith(stage, role, [member]);
      const leave = patchOf({ op: 'remove', path: `members[value eq "${member}"]` });
      return () => stage.scim(giver, 'PATCH', `Groups/${id}`, leave);
    },
    allows: bySource,
  },
  {
    name: 'the directory deletes a group',
    async prepare(stage, giver, role) {
      const { scim } = await newMember(stage);
      const { id } = await scimGroupWith(stage, role, [scim]);
      return () => stage.scim(giver, 'DELETE', `Groups/${id}`);
    },
    allows: bySource,
  },
];
