import type { DocumentedField } from './documented.ts';

/**
 * Operations that Bailiwick adds to the documented ones. Entries are only ever added to this list.
 */
export const additiveOperations: readonly string[] = [
  'Account_Login',
  'Account_Logout',
  'Account_Get',
  'Account_Update',
  'Account_ChangePassword',
  'Account_ChangeEmail',
  'Account_ExchangeCode',
  'Account_IssueCode',
  'Account_Task_SendNotice',
  'Tenants_Create',
  'Tenants_Get',
  'Tenants_ListMine',
  'Tenants_Update',
  'Tenants_Delete',
  'Tenants_Restore',
  'Tenants_Suspend',
  'Tenants_Resume',
  'TenantMembers_List',
  'TenantMembers_Add',
  'TenantMembers_Remove',
  'TenantMembers_Accept',
  'TenantMembers_Decline',
  'TenantMembers_Disable',
  'TenantMembers_Enable',
  'Sessions_List',
  'Sessions_Revoke',
  'Sessions_RevokeAll',
  'Tokens_Introspect',
  'Users_Create',
  'Users_Get',
  'Users_Update',
  'Users_Disable',
  'Users_Enable',
  'Users_Delete',
  'Users_ListIdentities',
  'Users_ConfirmIdentity',
  'Users_RemoveIdentity',
  'Access_Check',
  'Access_ListPermissions',
  'Access_Explain',
  'Access_Plan',
  'Audit_Export',
  'Audit_Verify',
  'Audit_Anchor',
  'Roles_ListPermissions',
  'BotKeys_Rotate',
  'Webhooks_ReplayFailed',
  'Chat_ReplayFailed',
  'Mail_GetSuppression',
  'Mail_DeleteSuppression',
  'Keys_Status',
  'Keys_Rotate',
  'Webhooks_RotateSecret',
  'Webhooks_SendTest',
  'Webhooks_Explain',
  'Webhooks_ListEventTypes',
  'Webhooks_ListAttempts',
  'Chat_ListAttempts',
  'Chat_SendTest',
  'Webhooks_GetMessage',
  'Webhooks_Resend',
  'Chat_GetMessage',
  'Chat_Resend',
  'Events_Publish',
  'Sso_SaveProvider',
  'Sso_GetProvider',
  'Sso_ListProviders',
  'Sso_DeleteProvider',
  'Sso_TestProvider',
  'Sso_LiftRequirement',
  'Domain_Update',
  'Domain_ListSuggestions',
  'Domain_Join',
];

/** Optional request keys that Bailiwick adds to documented operations. */
export const additiveRequestKeys: Readonly<Record<string, readonly DocumentedField[]>> = {
  TenantInvitations_Create: [
    { name: 'Roles', type: 'list of string' },
    { name: 'Groups', type: 'list of string' },
  ],
  Groups_Save: [{ name: 'IfUpdatedAt', type: 'time' }],
  Groups_ListMembers: [{ name: 'Effective', type: 'bool' }],
  Groups_ListMemberGroups: [{ name: 'Effective', type: 'bool' }],
  Roles_Save: [{ name: 'IfUpdatedAt', type: 'time' }],
  Grants_ListByTenant: [
    { name: 'Platform', type: 'bool' },
    { name: 'IncludePlatform', type: 'bool' },
  ],
  BotGrants_ListByTenant: [
    { name: 'Platform', type: 'bool' },
    { name: 'IncludePlatform', type: 'bool' },
  ],
};

/**
 * Keys that requests may carry and that the service ignores, with any value. openapi.json declares
 * no type for them.
 */
export const ignoredRequestKeys: Readonly<Record<string, readonly string[]>> = {
  Webhooks_CreateEndpoint: ['Secret'],
};
