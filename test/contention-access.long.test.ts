import { createId } from '@bailiwick/contract';
import { bodyOf } from './support/answers.ts';
import { type Contention, describeContention, onName } from './support/contention.ts';
import { inviter } from './support/invitations.ts';
import { newAddress, signUp } from './support/people.ts';

const lockTenant = (tenant: string): Contention['lock'] => [
  'select 1 from access.tenant where id = $1 for update',
  tenant,
];

describeContention('concurrent calls for one row of access', 'one process', {
  async 'TenantInvitations_Accept of one token'({ stack, owner, newTenant }) {
    const [tenant, guest] = [await newTenant(), await signUp(stack)];
    const { invite, accept } = inviter(stack);
    const token = await invite(tenant, guest.email, owner.token);
    return { service: 'access', lock: lockTenant(tenant), call: () => accept(token, guest.token) };
  },
  async 'TenantInvitations_Create in one tenant'({ asOwner, newTenant }) {
    const Tenant = await newTenant();
    return {
      service: 'access',
      lock: lockTenant(Tenant),
      call: () => asOwner('TenantInvitations_Create', { Tenant, Email: newAddress() }),
    };
  },
  async 'TenantMembers_Remove in one tenant'({ asOwner, newTenant }) {
    const Tenant = await newTenant();
    return {
      service: 'access',
      lock: lockTenant(Tenant),
      call: () => asOwner('TenantMembers_Remove', { Tenant, UserID: createId('usr') }),
    };
  },
  async 'TenantMembers_Remove by non-members'({ stack, asOwner, newTenant }) {
    const Tenant = await newTenant();
    const strangers = await Promise.all(Array.from({ length: 4 }, () => signUp(stack)));
    const call = async (index: number) => {
      const { id, token } = strangers[index % strangers.length] as (typeof strangers)[number];
      return stack.call('TenantMembers_Remove', { Tenant, UserID: id }, token);
    };
    const own = () => asOwner('TenantMembers_Remove', { Tenant, UserID: createId('usr') });
    return { service: 'access', lock: lockTenant(Tenant), call, own };
  },
  async 'TenantMembers_Remove by the member'({ stack, owner, asOwner, newTenant }) {
    const [Tenant, member] = [await newTenant(), await signUp(stack)];
    const { invite, accept } = inviter(stack);
    bodyOf(await accept(await invite(Tenant, member.email, owner.token), member.token));
    const call = () =>
      stack.call('TenantMembers_Remove', { Tenant, UserID: member.id }, member.token);
    const own = () => asOwner('TenantMembers_Remove', { Tenant, UserID: member.id });
    return { service: 'access', lock: lockTenant(Tenant), call, own };
  },
  async 'Groups_Save of one path'({ asOwner, newTenant }) {
    const Tenant = await newTenant();
    const call = (index: number) =>
      asOwner('Groups_Save', { Group: { Tenant, Path: 'eng', Name: `Name ${index}` } });
    bodyOf(await call(0));
    return {
      service: 'access',
      lock: ['select 1 from access.group_entry where tenant = $1 for update', Tenant],
      call,
    };
  },
  async 'Groups_AddMember of many users to one group'({ asOwner, newTenant }) {
    const Tenant = await newTenant();
    bodyOf(await asOwner('Groups_Save', { Group: { Tenant, Path: 'eng' } }));
    const call = () =>
      asOwner('Groups_AddMember', { Tenant, Group: 'eng', UserID: createId('usr') });
    return {
      service: 'access',
      lock: ['select 1 from access.group_entry where tenant = $1 for update', Tenant],
      call,
    };
  },
  async 'Grants_Add to one user'({ owner, asOwner, newTenant }) {
    const Tenant = await newTenant();
    const call = (index: number) =>
      asOwner('Grants_Add', {
        Grant: { Tenant, UserID: owner.id, Role: 'member', Resource: `thing:${index}` },
      });
    return {
      service: 'access',
      lock: ['select 1 from access.tenant_member where tenant = $1 for update', Tenant],
      call,
    };
  },
  async 'Roles_Save of one slug'({ asOwner, newTenant }) {
    const Tenant = await newTenant();
    const call = (index: number) =>
      asOwner('Roles_Save', { Role: { Tenant, Slug: 'reader', Name: `Name ${index}` } });
    return { service: 'access', lock: onName(`role ${Tenant} reader`), call };
  },
  async 'Tenants_Update of one tenant'({ asOwner, newTenant }) {
    const ID = await newTenant();
    return {
      service: 'access',
      lock: lockTenant(ID),
      call: (index) => asOwner('Tenants_Update', { Tenant: { ID, Name: `Name ${index}` } }),
    };
  },
});
