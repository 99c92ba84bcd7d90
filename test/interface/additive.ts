import type { DocumentedField } from './documented.ts';

/** Our operations beside the documented ones. They may only ever be added to. */
export const additiveOperations: readonly string[] = [
  'Account_Login',
  'Account_Logout',
  'Account_Get',
  'Account_Update',
  'Account_ChangePassword',
  'Account_ChangeEmail',
  'Account_Task_SendNotice',
  'Tenants_Create',
  'Tenants_Get',
  'Tenants_ListMine',
  'TenantMembers_List',
  'TenantMembers_Add',
  'TenantMembers_Remove',
  'Sessions_List',
  'Sessions_Revoke',
  'Sessions_RevokeAll',
  'Tokens_Introspect',
  'Users_Create',
];

/** Our optional request keys in documented operations. */
export const additiveRequestKeys: Readonly<Record<string, readonly DocumentedField[]>> = {
  TenantInvitations_Create: [
    { name: 'Roles', type: 'list of string' },
    { name: 'Groups', type: 'list of string' },
  ],
  Groups_Save: [{ name: 'IfUpdatedAt', type: 'time' }],
  Groups_ListMembers: [{ name: 'Effective', type: 'bool' }],
  Groups_ListMemberGroups: [{ name: 'Effective', type: 'bool' }],
  Roles_Save: [{ name: 'IfUpdatedAt', type: 'time' }],
};
