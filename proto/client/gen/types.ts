// Generated from the proto files by `npm run generate`. Do not edit.

/** What each operation is sent, and what it answers. */
export interface Operations {
  /** Whether a subject holds a permission, or each of several. */
  Access_Check: { request: Access_CheckReq; response: Access_CheckRes };
  /** Every way by which a subject holds a permission, or what is missing. */
  Access_Explain: { request: Access_ExplainReq; response: Access_ExplainRes };
  /** All that a subject holds, as it was granted: an entry may end in "*". */
  Access_ListPermissions: { request: Access_ListPermissionsReq; response: Access_ListPermissionsRes };
  /** What changes would make of everybody's permissions. Nothing is changed. */
  Access_Plan: { request: Access_PlanReq; response: Access_PlanRes };
  /** Mails a token to a new address; Account_Verify with that token makes it the account's address. The answer is the same whether or not somebody else has the address. */
  Account_ChangeEmail: { request: Account_ChangeEmailReq; response: Account_ChangeEmailRes };
  /** Changes the caller's password, and ends all other sessions of the account. */
  Account_ChangePassword: { request: Account_ChangePasswordReq; response: Account_ChangePasswordRes };
  /** Begins the session that single sign-on has promised an application with a code. The code works once, for a minute, and in a browser only for pages of the origin that it was sent to. */
  Account_ExchangeCode: { request: Account_ExchangeCodeReq; response: Account_ExchangeCodeRes };
  /** The caller's own account and the tenants it belongs to. */
  Account_Get: { request: Account_GetReq; response: Account_GetRes };
  /** Signs in with address and password. The token is shown once. Where the domain of the address wants single sign-on, nobody's password serves. */
  Account_Login: { request: Account_LoginReq; response: Account_LoginRes };
  /** Ends the caller's session. */
  Account_Logout: { request: Account_LogoutReq; response: Account_LogoutRes };
  /** Registers an account and mails a verification token. The answer is the same whether or not the address is known already: a known address gets a mail that says so. */
  Account_Register: { request: Account_RegisterReq; response: Account_RegisterRes };
  /** Mails a password reset token if the address has an account. Always succeeds. */
  Account_RequestPasswordReset: { request: Account_RequestPasswordResetReq; response: Account_RequestPasswordResetRes };
  /** Mails the verification of the newest registration of this address again. Always succeeds. */
  Account_ResendVerification: { request: Account_ResendVerificationReq; response: Account_ResendVerificationRes };
  /** Sets a new password with the token that was mailed, and ends all sessions of the account. */
  Account_ResetPassword: { request: Account_ResetPasswordReq; response: Account_ResetPasswordRes };
  /** Changes the caller's profile. What is absent stays as it is; the address has an operation of its own. */
  Account_Update: { request: Account_UpdateReq; response: Account_UpdateRes };
  /** Verifies the address of a registration with the token that was mailed. */
  Account_Verify: { request: Account_VerifyReq; response: Account_VerifyRes };
  /** The end of a tenant's chain as it is now, signed. Keep it where the database's administrators cannot change it: Audit_Verify with it proves later that nothing before it has changed or gone. */
  Audit_Anchor: { request: Audit_AnchorReq; response: Audit_AnchorRes };
  /** The audit entries of a tenant, newest first. */
  Audit_List: { request: Audit_ListReq; response: Audit_ListRes };
  /** The audit entries of what a user did, newest first. */
  Audit_ListByUser: { request: Audit_ListByUserReq; response: Audit_ListByUserRes };
  /** Whether the entries of a tenant are those that were written: computes the hashes again, at most 20,000 a call. */
  Audit_Verify: { request: Audit_VerifyReq; response: Audit_VerifyRes };
  /** Grants a role to a bot. Repeating it changes nothing but the expiry. */
  BotGrants_Add: { request: BotGrants_AddReq; response: BotGrants_AddRes };
  /** The grants to bots in a tenant. */
  BotGrants_ListByTenant: { request: BotGrants_ListByTenantReq; response: BotGrants_ListByTenantRes };
  /** Takes back the grant of this Tenant (or Platform), Bot, Role and Resource. */
  BotGrants_Remove: { request: BotGrants_RemoveReq; response: BotGrants_RemoveRes };
  /** Makes a key. Its secret is in the answer and is never shown again. */
  BotKeys_Create: { request: BotKeys_CreateReq; response: BotKeys_CreateRes };
  /** One key, without its secret. */
  BotKeys_Get: { request: BotKeys_GetReq; response: BotKeys_GetRes };
  /** The keys of a bot, expired and revoked ones included. */
  BotKeys_List: { request: BotKeys_ListReq; response: BotKeys_ListRes };
  /** Makes a key's successor, with the same bot, name, permissions and networks. The old key works for another 24 hours at most. A bot may rotate its own keys only. */
  BotKeys_Rotate: { request: BotKeys_RotateReq; response: BotKeys_RotateRes };
  /** Moves a key's expiry. Now or a time in the past revokes it. */
  BotKeys_SetExpiration: { request: BotKeys_SetExpirationReq; response: BotKeys_SetExpirationRes };
  /** Deletes a bot with its keys and grants. */
  Bots_Delete: { request: Bots_DeleteReq; response: Bots_DeleteRes };
  /** One bot. */
  Bots_Get: { request: Bots_GetReq; response: Bots_GetRes };
  /** The bots of a tenant. */
  Bots_List: { request: Bots_ListReq; response: Bots_ListRes };
  /** Creates a bot, or changes the one with the ID that is sent. */
  Bots_Save: { request: Bots_SaveReq; response: Bots_SaveRes };
  /** Creates an endpoint. Its address is sealed and never shown again. */
  Chat_CreateEndpoint: { request: Chat_CreateEndpointReq; response: Chat_CreateEndpointRes };
  /** Deletes an endpoint. Deliveries that wait for it are dropped. */
  Chat_DeleteEndpoint: { request: Chat_DeleteEndpointReq; response: Chat_DeleteEndpointRes };
  /** One endpoint. */
  Chat_GetEndpoint: { request: Chat_GetEndpointReq; response: Chat_GetEndpointRes };
  /** A message that was sent to an endpoint, with its body and its attempts, for as long as bodies are kept: 7 days where the installation says nothing else. */
  Chat_GetMessage: { request: Chat_GetMessageReq; response: Chat_GetMessageRes };
  /** The attempts of the last 30 days to deliver to the tenant's endpoints, newest first, without their bodies. */
  Chat_ListAttempts: { request: Chat_ListAttemptsReq; response: Chat_ListAttemptsRes };
  /** The endpoints of a tenant. */
  Chat_ListEndpoints: { request: Chat_ListEndpointsReq; response: Chat_ListEndpointsRes };
  /** Sends once more what could not be delivered to an endpoint, with all of its attempts before it. */
  Chat_ReplayFailed: { request: Chat_ReplayFailedReq; response: Chat_ReplayFailedRes };
  /** Sends one message again to the endpoint that it was sent to, with the same identifier and body and all of its attempts before it. The endpoint must be active. */
  Chat_Resend: { request: Chat_ResendReq; response: Chat_ResendRes };
  /** Sends an endpoint.ping event to one endpoint, now and just once, also to one that is inactive: that is when a test is wanted. At most ten a minute for each endpoint. */
  Chat_SendTest: { request: Chat_SendTestReq; response: Chat_SendTestRes };
  /** Replaces an endpoint's name and other settings as sent. An empty URL leaves the stored one. */
  Chat_UpdateEndpoint: { request: Chat_UpdateEndpointReq; response: Chat_UpdateEndpointRes };
  /** Claims a domain. The answer says which DNS TXT record proves it, within seven days. */
  Domain_Create: { request: Domain_CreateReq; response: Domain_CreateRes };
  /** Gives a domain up. */
  Domain_Delete: { request: Domain_DeleteReq; response: Domain_DeleteRes };
  /** One domain. */
  Domain_Get: { request: Domain_GetReq; response: Domain_GetRes };
  /** Makes the caller a member of such a tenant, with the domain's DefaultRole. */
  Domain_Join: { request: Domain_JoinReq; response: Domain_JoinRes };
  /** The domains of a tenant. */
  Domain_List: { request: Domain_ListReq; response: Domain_ListRes };
  /** The tenants that the caller may join because its verified address is at a domain of theirs: where Capture is suggest, or join and the caller was there before the domain. */
  Domain_ListSuggestions: { request: Domain_ListSuggestionsReq; response: Domain_ListSuggestionsRes };
  /** Changes what a domain means. What is not sent stays as it is. */
  Domain_Update: { request: Domain_UpdateReq; response: Domain_UpdateRes };
  /** Looks for the TXT record now, at most once a minute. Without it the domain stays pending, and FailureReason says what was found. */
  Domain_Verify: { request: Domain_VerifyReq; response: Domain_VerifyRes };
  /** Publishes an event of an application to the tenant's endpoints that ask for its type. It is delivered like every other event: in the same envelope, signed, with retries, to webhooks and to chat. */
  Events_Publish: { request: Events_PublishReq; response: Events_PublishRes };
  /** Grants a role to a user. Repeating it changes nothing but the expiry. */
  Grants_Add: { request: Grants_AddReq; response: Grants_AddRes };
  /** A user's grants, of all tenants whose grants the caller may read. */
  Grants_List: { request: Grants_ListReq; response: Grants_ListRes };
  /** The grants to users in a tenant. */
  Grants_ListByTenant: { request: Grants_ListByTenantReq; response: Grants_ListByTenantRes };
  /** Takes back the grant of this Tenant (or Platform), UserID, Role and Resource. */
  Grants_Remove: { request: Grants_RemoveReq; response: Grants_RemoveRes };
  /** Grants a role to a group. Repeating it changes nothing but the expiry. */
  GroupGrants_Add: { request: GroupGrants_AddReq; response: GroupGrants_AddRes };
  /** The grants to groups in a tenant. */
  GroupGrants_ListByTenant: { request: GroupGrants_ListByTenantReq; response: GroupGrants_ListByTenantRes };
  /** Takes back the grant of this Tenant, Group, Role and Resource. */
  GroupGrants_Remove: { request: GroupGrants_RemoveReq; response: GroupGrants_RemoveRes };
  /** Adds a member of the tenant to a group. Nothing changes where the user is in it already. */
  Groups_AddMember: { request: Groups_AddMemberReq; response: Groups_AddMemberRes };
  /** Deletes a group with its memberships and grants. Groups below it stay. */
  Groups_Delete: { request: Groups_DeleteReq; response: Groups_DeleteRes };
  /** One group; null where there is none of that path. */
  Groups_Get: { request: Groups_GetReq; response: Groups_GetRes };
  /** The groups of a tenant. */
  Groups_List: { request: Groups_ListReq; response: Groups_ListRes };
  /** The groups of a tenant: the same as Groups_List. */
  Groups_ListByTenant: { request: Groups_ListByTenantReq; response: Groups_ListByTenantRes };
  /** The groups a user is in, of all tenants whose groups the caller may read. */
  Groups_ListMemberGroups: { request: Groups_ListMemberGroupsReq; response: Groups_ListMemberGroupsRes };
  /** The ids of the users in a group. */
  Groups_ListMembers: { request: Groups_ListMembersReq; response: Groups_ListMembersRes };
  /** Takes a user out of a group. */
  Groups_RemoveMember: { request: Groups_RemoveMemberReq; response: Groups_RemoveMemberRes };
  /** Creates the group of this tenant and path, or changes it. */
  Groups_Save: { request: Groups_SaveReq; response: Groups_SaveRes };
  /** Gives a tenant a new data key, or all of them in the background. What the old one sealed is sealed anew while work goes on. */
  Keys_Rotate: { request: Keys_RotateReq; response: Keys_RotateRes };
  /** Which key-encryption keys wrap how many data keys, and what a rotation has still to do. */
  Keys_Status: { request: Keys_StatusReq; response: Keys_StatusRes };
  /** Mails to an address again, for example after its mailbox was made anew. */
  Mail_DeleteSuppression: { request: Mail_DeleteSuppressionReq; response: Mail_DeleteSuppressionRes };
  /** Since when, until when and why nothing is mailed to an address. Not found where it is mailed to. */
  Mail_GetSuppression: { request: Mail_GetSuppressionReq; response: Mail_GetSuppressionRes };
  /** Deletes a role that is not granted to anybody. */
  Roles_Delete: { request: Roles_DeleteReq; response: Roles_DeleteRes };
  /** One role; null where there is none of that slug. */
  Roles_Get: { request: Roles_GetReq; response: Roles_GetRes };
  /** The roles of a tenant, the built-in ones included. */
  Roles_List: { request: Roles_ListReq; response: Roles_ListRes };
  /** The roles of a tenant: the same as Roles_List. */
  Roles_ListByTenant: { request: Roles_ListByTenantReq; response: Roles_ListByTenantRes };
  /** The permissions of Bailiwick's own that a role of the tenant can hold, or those of the platform, each with what it allows and the operations that ask for it. An application's permissions are in no list: roles name them freely. */
  Roles_ListPermissions: { request: Roles_ListPermissionsReq; response: Roles_ListPermissionsRes };
  /** Creates the role of this tenant and slug, or changes it. Nobody puts a permission into a role that they do not hold themselves. */
  Roles_Save: { request: Roles_SaveReq; response: Roles_SaveRes };
  /** The caller's sessions. */
  Sessions_List: { request: Sessions_ListReq; response: Sessions_ListRes };
  /** Ends one of the caller's sessions. Nothing changes where it has ended already. */
  Sessions_Revoke: { request: Sessions_RevokeReq; response: Sessions_RevokeRes };
  /** Ends all of the caller's sessions, the one of this call included. */
  Sessions_RevokeAll: { request: Sessions_RevokeAllReq; response: Sessions_RevokeAllRes };
  /** Where people with such an address sign in. The answer depends on the domain only, never on whether there is an account. */
  Sso_Check: { request: Sso_CheckReq; response: Sso_CheckRes };
  /** Deletes a provider. Whoever has signed in through it is signed out, and knows it as little as it knows them. */
  Sso_DeleteProvider: { request: Sso_DeleteProviderReq; response: Sso_DeleteProviderRes };
  /** One provider. */
  Sso_GetProvider: { request: Sso_GetProviderReq; response: Sso_GetProviderRes };
  /** Lets a tenant's owners in with their passwords for an hour, where the tenant wants single sign-on and that is broken. All owners are told by mail. */
  Sso_LiftRequirement: { request: Sso_LiftRequirementReq; response: Sso_LiftRequirementRes };
  /** The providers of a tenant. */
  Sso_ListProviders: { request: Sso_ListProvidersReq; response: Sso_ListProvidersRes };
  /** Creates an identity provider, or changes the one with the ID that is sent. */
  Sso_SaveProvider: { request: Sso_SaveProviderReq; response: Sso_SaveProviderRes };
  /** Looks at a provider as a sign-in would: whether it can be reached, its keys and certificates, and the addresses that it has to know of us. Nobody is signed in. */
  Sso_TestProvider: { request: Sso_TestProviderReq; response: Sso_TestProviderRes };
  /** Makes the caller a member with the invitation's roles and groups. */
  TenantInvitations_Accept: { request: TenantInvitations_AcceptReq; response: TenantInvitations_AcceptRes };
  /** Invites an address and mails it the token. Inviting it again voids the older token. */
  TenantInvitations_Create: { request: TenantInvitations_CreateReq; response: TenantInvitations_CreateRes };
  /** Turns an invitation down. */
  TenantInvitations_Decline: { request: TenantInvitations_DeclineReq; response: TenantInvitations_DeclineRes };
  /** Revokes the pending invitation of an address. */
  TenantInvitations_Delete: { request: TenantInvitations_DeleteReq; response: TenantInvitations_DeleteRes };
  /** The invitations of a tenant in all states, newest first. */
  TenantInvitations_List: { request: TenantInvitations_ListReq; response: TenantInvitations_ListRes };
  /** The invitations of an address into any tenant, newest first. */
  TenantInvitations_ListByEmail: { request: TenantInvitations_ListByEmailReq; response: TenantInvitations_ListByEmailRes };
  /** Accepts the caller's own pending membership. Accepting again changes nothing. */
  TenantMembers_Accept: { request: TenantMembers_AcceptReq; response: TenantMembers_AcceptRes };
  /** Adds a user to a tenant. The membership is pending until the user accepts it with TenantMembers_Accept: until then it gives no rights and reveals nothing of the user. It is active at once where the caller holds iam.platform.users.write, or where the user's verified address is in a verified domain of the tenant. Nothing changes for a user who is a member, was added already, or has declined within the last 30 days. */
  TenantMembers_Add: { request: TenantMembers_AddReq; response: TenantMembers_AddRes };
  /** Declines the caller's own pending membership. Declining again changes nothing. */
  TenantMembers_Decline: { request: TenantMembers_DeclineReq; response: TenantMembers_DeclineRes };
  /** Takes all rights in the tenant from a member until the member is enabled again. Grants and group memberships stay. Only an owner disables an owner, and the last owner cannot be disabled. */
  TenantMembers_Disable: { request: TenantMembers_DisableReq; response: TenantMembers_DisableRes };
  /** Gives a disabled member its rights back. The caller must be able to grant what the member holds. */
  TenantMembers_Enable: { request: TenantMembers_EnableReq; response: TenantMembers_EnableRes };
  /** The members of a tenant, and the users who were added and have not accepted yet (Status pending). Of these only the ID is known. */
  TenantMembers_List: { request: TenantMembers_ListReq; response: TenantMembers_ListRes };
  /** Ends a membership with its grants and group memberships, or withdraws a pending one. A person can always leave, also a tenant that is suspended, that requires single sign-on, or in which the membership is disabled. The last owner stays. */
  TenantMembers_Remove: { request: TenantMembers_RemoveReq; response: TenantMembers_RemoveRes };
  /** Creates a tenant. Its owner is the caller or, on the platform, the user named in OwnerID. */
  Tenants_Create: { request: Tenants_CreateReq; response: Tenants_CreateRes };
  /** Closes a tenant: everything in it is denied with the answer. After a grace, 30 days unless the platform has set another one, all that belongs to it is removed and its data keys are destroyed. Nothing changes where it is closed already. */
  Tenants_Delete: { request: Tenants_DeleteReq; response: Tenants_DeleteRes };
  /** One tenant. */
  Tenants_Get: { request: Tenants_GetReq; response: Tenants_GetRes };
  /** The active tenants that the caller belongs to or was added to, each with the caller's membership. Where that is pending or disabled, a tenant has no more than its names. */
  Tenants_ListMine: { request: Tenants_ListMineReq; response: Tenants_ListMineRes };
  /** Opens a deleted tenant again, as it was, while its grace lasts. */
  Tenants_Restore: { request: Tenants_RestoreReq; response: Tenants_RestoreRes };
  /** Opens a suspended tenant again. */
  Tenants_Resume: { request: Tenants_ResumeReq; response: Tenants_ResumeRes };
  /** Denies everything in a tenant until it is resumed. */
  Tenants_Suspend: { request: Tenants_SuspendReq; response: Tenants_SuspendRes };
  /** Changes what is sent of a tenant. */
  Tenants_Update: { request: Tenants_UpdateReq; response: Tenants_UpdateRes };
  /** Who holds a session token or bot key, if anybody does. With the permission in a tenant only, tokens of people and bots that do not belong to that tenant are inactive like unknown ones. */
  Tokens_Introspect: { request: Tokens_IntrospectReq; response: Tokens_IntrospectRes };
  /** Confirms that an identity belongs to the user. An identity that was linked by the address alone opens sessions that hold rights in the provider's tenant only; a confirmed identity opens sessions for the whole account, at once also those that are open. The user confirms with a credential that is older than the link: with the account's password, or from a session that the password or an older identity opened. A password that was reset after the link does not count. */
  Users_ConfirmIdentity: { request: Users_ConfirmIdentityReq; response: Users_ConfirmIdentityRes };
  /** Creates a person whose address the caller vouches for: it counts as verified, and nothing is mailed. Without a password the person signs in elsewhere, or resets it first. */
  Users_Create: { request: Users_CreateReq; response: Users_CreateRes };
  /** Deletes a user with its sessions, tokens, memberships and grants. Refused while the user is the only owner of a tenant, which has to be deleted or given to somebody else first. */
  Users_Delete: { request: Users_DeleteReq; response: Users_DeleteRes };
  /** Shuts a user out: every session ends with the answer, and nothing that was granted counts until it is enabled again. */
  Users_Disable: { request: Users_DisableReq; response: Users_DisableRes };
  /** Lets a disabled user in again, with all that was granted. */
  Users_Enable: { request: Users_EnableReq; response: Users_EnableRes };
  /** One user. Who may read users only in tenants this one does not belong to gets not_found. */
  Users_Get: { request: Users_GetReq; response: Users_GetRes };
  /** The user with this address. Who may read users only in tenants this one does not belong to gets the same not_found as for an unknown address. */
  Users_GetByEmail: { request: Users_GetByEmailReq; response: Users_GetByEmailRes };
  /** All users of the platform, in order of ID. */
  Users_List: { request: Users_ListReq; response: Users_ListRes };
  /** The users who are members of a tenant. */
  Users_ListByTenant: { request: Users_ListByTenantReq; response: Users_ListByTenantRes };
  /** The identities at tenants' providers by which a user signs in, one at most for each provider. */
  Users_ListIdentities: { request: Users_ListIdentitiesReq; response: Users_ListIdentitiesRes };
  /** Unlinks a user from a provider and ends the sessions that came from it. The next who signs in there with the user's address is linked instead: for somebody who has got another identity at the provider. */
  Users_RemoveIdentity: { request: Users_RemoveIdentityReq; response: Users_RemoveIdentityRes };
  /** Changes what is sent of a user. The address and the password have operations of their own. */
  Users_Update: { request: Users_UpdateReq; response: Users_UpdateRes };
  /** Creates an endpoint. Its signing secret is in the answer and is never shown again. */
  Webhooks_CreateEndpoint: { request: Webhooks_CreateEndpointReq; response: Webhooks_CreateEndpointRes };
  /** Deletes an endpoint. Deliveries that wait for it are dropped. */
  Webhooks_DeleteEndpoint: { request: Webhooks_DeleteEndpointReq; response: Webhooks_DeleteEndpointRes };
  /** Which of the tenant's endpoints an event of a type would go to, and why not to the others. */
  Webhooks_Explain: { request: Webhooks_ExplainReq; response: Webhooks_ExplainRes };
  /** One endpoint. */
  Webhooks_GetEndpoint: { request: Webhooks_GetEndpointReq; response: Webhooks_GetEndpointRes };
  /** A message that was sent to an endpoint, with its body and its attempts, for as long as bodies are kept: 7 days where the installation says nothing else. */
  Webhooks_GetMessage: { request: Webhooks_GetMessageReq; response: Webhooks_GetMessageRes };
  /** The attempts of the last 30 days to deliver to the tenant's endpoints, newest first, without their bodies. */
  Webhooks_ListAttempts: { request: Webhooks_ListAttemptsReq; response: Webhooks_ListAttemptsRes };
  /** The endpoints of a tenant. */
  Webhooks_ListEndpoints: { request: Webhooks_ListEndpointsReq; response: Webhooks_ListEndpointsRes };
  /** The types of events that endpoints can ask for, with the schema of their bodies and an example of each. */
  Webhooks_ListEventTypes: { request: Webhooks_ListEventTypesReq; response: Webhooks_ListEventTypesRes };
  /** Sends once more what could not be delivered to an endpoint, with all of its attempts before it. */
  Webhooks_ReplayFailed: { request: Webhooks_ReplayFailedReq; response: Webhooks_ReplayFailedRes };
  /** Sends one message again to the endpoint that it was sent to, with the same identifier and body and all of its attempts before it. The endpoint must be active. */
  Webhooks_Resend: { request: Webhooks_ResendReq; response: Webhooks_ResendRes };
  /** Gives an endpoint a new signing secret, which is in the answer and is never shown again. The one before signs too, beside it, until the grace is over. */
  Webhooks_RotateSecret: { request: Webhooks_RotateSecretReq; response: Webhooks_RotateSecretRes };
  /** Sends an endpoint.ping event to one endpoint, now and just once, also to one that is inactive: that is when a test is wanted. At most ten a minute for each endpoint. */
  Webhooks_SendTest: { request: Webhooks_SendTestReq; response: Webhooks_SendTestRes };
  /** Replaces an endpoint's name, URL and other settings as sent. The signing secret stays. */
  Webhooks_UpdateEndpoint: { request: Webhooks_UpdateEndpointReq; response: Webhooks_UpdateEndpointRes };
}

/** The operations whose answer is one long text. */
export interface Streams {
  /** The audit entries of a tenant, oldest first, as one text: NDJSON or CSV. An export that ends early was cut off: the connection breaks, and no end is sent. */
  Audit_Export: { request: Audit_ExportReq };
}

/** One way from a subject to a permission. */
export type AccessPath = {
  /** The grant's ID. */
  Grant: string;
  /** The path of the group the user is a member of; empty = granted to the subject itself. */
  Group: string;
  /** The path of the group above it that the grant was made to; empty = to the group itself. */
  InheritedFrom: string;
  /** The role's slug. */
  Role: string;
  /** What the role says, which may end in "*". */
  Permission: string;
  /** The grant is on the platform and counts in every tenant. */
  Platform: boolean;
};

/** One permission or several, of whom. */
export type Access_CheckReq = {
  Tenant: string;
  /** A user or bot; empty = the caller. */
  Subject?: string | undefined;
  Permission?: string | undefined;
  /** The application's own name of a thing; empty = the whole tenant. */
  Resource?: string | undefined;
  /** More questions about the same subject, or all of them. */
  Checks?: readonly PermissionCheckInput[] | undefined;
};

/** The answer. */
export type Access_CheckRes = {
  /** Whether everything that was asked about is allowed. */
  Allowed: boolean;
  /** One for each of Checks, in their order. */
  Results: PermissionAnswer[];
};

/** The decision to be explained. */
export type Access_ExplainReq = {
  Tenant: string;
  /** A user or bot; empty = the caller. */
  Subject?: string | undefined;
  Permission: string;
  /** The application's own name of a thing; empty = the whole tenant. */
  Resource?: string | undefined;
};

/** The explanation. */
export type Access_ExplainRes = {
  Allowed: boolean;
  /** Every way by which it is allowed; none where it is not. */
  Paths: AccessPath[];
  /** Why it is not allowed, in words; none where it is. */
  Missing: string[];
};

/** Whose permissions. */
export type Access_ListPermissionsReq = {
  Tenant: string;
  /** A user or bot; empty = the caller. */
  Subject?: string | undefined;
  /** The application's own name of a thing; empty = the whole tenant. */
  Resource?: string | undefined;
};

/** What the subject holds, in order of their names. */
export type Access_ListPermissionsRes = {
  Permissions: string[];
};

/** Changes, in the order in which they would be made. */
export type Access_PlanReq = {
  Tenant: string;
  Changes: readonly PlannedChangeInput[];
};

/** What the changes would make of everybody's permissions. */
export type Access_PlanRes = {
  Gained: PermissionChange[];
  Lost: PermissionChange[];
  /** Changes that would be refused, in words, and what else somebody should know. */
  Warnings: string[];
};

/** The profile of a person. An absent field stays as it is stored; a field that is sent is replaced as sent, so that "", [] and {} clear it. */
export type AccountProfileInput = {
  Name?: string | undefined;
  GivenName?: string | undefined;
  FamilyName?: string | undefined;
  /** The address of a picture. */
  Picture?: string | undefined;
  /** A language tag such as pt-BR. */
  Locale?: string | undefined;
  Metadata?: Readonly<Record<string, string>> | undefined;
  /** As it is stored. Another address is refused: Account_ChangeEmail changes it. */
  Email?: string | undefined;
  /** As it is stored. Changing it needs iam.platform.users.write. */
  ExternalID?: string | undefined;
};

/** A tenant the account belongs to. */
export type AccountTenant = {
  ID: string;
  Slug: string;
  Name: string;
};

/** The address the account shall have. */
export type Account_ChangeEmailReq = {
  Email: string;
  /** The account's password. Where it has none the sign-in must not be older than 15 minutes. */
  Password?: string | undefined;
};

/** Nothing: see the mail at the new address. */
export type Account_ChangeEmailRes = Record<string, never>;

/** The password as it is and as it shall be. */
export type Account_ChangePasswordReq = {
  Current: string;
  /** 8 to 256 characters, none of the common ones. */
  Password: string;
};

/** Nothing: the password is changed. */
export type Account_ChangePasswordRes = Record<string, never>;

/** The code from the address that single sign-on has sent the browser to. */
export type Account_ExchangeCodeReq = {
  Code: string;
  /** For a browser: the token goes into an HttpOnly cookie, and Token in the answer is empty. */
  Cookie?: boolean | undefined;
};

/** The new session and whose it is. */
export type Account_ExchangeCodeRes = {
  /** The session token, to be sent as "Authorization: Bearer <token>". */
  Token: string;
  Session: Session;
  User: User;
};

/** Nothing: it is about the caller. */
export type Account_GetReq = Record<string, never>;

/** The caller's account and tenants. */
export type Account_GetRes = {
  User: User;
  /** Of a limited session, the tenant in LimitedTo alone. */
  Tenants: AccountTenant[];
  /** The ID of the only tenant in which the session of the call holds rights, until Users_ConfirmIdentity confirms the identity that opened it; empty = not limited. */
  LimitedTo: string;
};

/** The address and password of an account. */
export type Account_LoginReq = {
  Email: string;
  Password: string;
  /** For a browser: the token goes into an HttpOnly cookie, and Token in the answer is empty. */
  Cookie?: boolean | undefined;
};

/** The new session and whose it is. */
export type Account_LoginRes = {
  /** The session token, to be sent as "Authorization: Bearer <token>". */
  Token: string;
  Session: Session;
  User: User;
};

/** Nothing: it is about the session of the call. */
export type Account_LogoutReq = Record<string, never>;

/** Nothing: the session has ended. */
export type Account_LogoutRes = Record<string, never>;

/** An address and the password of the account to be. */
export type Account_RegisterReq = {
  Email: string;
  /** 8 to 256 characters, none of the common ones. */
  Password: string;
};

/** The id the account gets when its address is verified. */
export type Account_RegisterRes = {
  UserID: string;
};

/** The address of the account. */
export type Account_RequestPasswordResetReq = {
  Email: string;
};

/** Nothing, whether or not a mail goes out. */
export type Account_RequestPasswordResetRes = Record<string, never>;

/** The address that was registered. */
export type Account_ResendVerificationReq = {
  Email: string;
};

/** Nothing, whether or not a mail goes out. */
export type Account_ResendVerificationRes = Record<string, never>;

/** The token of a reset mail and the new password. */
export type Account_ResetPasswordReq = {
  Token: string;
  /** 8 to 256 characters, none of the common ones. */
  Password: string;
};

/** Nothing: the new password holds. */
export type Account_ResetPasswordRes = Record<string, never>;

/** The caller's profile as it shall be. */
export type Account_UpdateReq = {
  User?: AccountProfileInput | undefined;
};

/** The caller as stored. */
export type Account_UpdateRes = {
  User: User;
};

/** The token of a verification mail. */
export type Account_VerifyReq = {
  Token: string;
};

/** Nothing: the address is verified. */
export type Account_VerifyRes = Record<string, never>;

/** A field that changed. */
export type AuditChange = {
  Field: string;
  Old: string;
  New: string;
};

/** One change, or one call that was refused. */
export type AuditEntry = {
  ID: string;
  /** Empty = on the platform. */
  Tenant: string;
  /** Counts the entries of the tenant. */
  Seq: number;
  OccurredAt?: string;
  /** What happened, such as group.member_added. */
  Action: string;
  /** The operation that was called, such as Groups_AddMember. */
  Operation: string;
  /** success, denied or failed. */
  Result: string;
  /** The error code where it did not succeed. */
  Code: string;
  /** user, bot, platform, system or anonymous. */
  ActorType: string;
  ActorID: string;
  /** The session or key of the call. */
  CredentialID: string;
  /** What it was done to. */
  Targets: AuditTarget[];
  /** The permission that was asked for. */
  Permission: string;
  /** The grant that gave it; empty = nobody did, or the installation's own key has it. */
  GrantID: string;
  IP: string;
  UserAgent: string;
  RequestID: string;
  TraceID: string;
  /** The fields that changed, secrets left out. */
  Changes: AuditChange[];
  /** The Hash of the tenant's entry before. */
  PrevHash: string;
  /** Over this entry and PrevHash: no entry can be changed or removed unnoticed. */
  Hash: string;
};

/** One page of audit entries. */
export type AuditEntryPage = {
  Items: AuditEntry[];
  NextCursor: string;
};

/** Which entries: an empty field does not restrict, several values of one field are alternatives. */
export type AuditFilterInput = {
  Actions?: readonly string[] | undefined;
  ActorIDs?: readonly string[] | undefined;
  TargetIDs?: readonly string[] | undefined;
  IP?: string | undefined;
  /** success, denied or failed. */
  Result?: string | undefined;
  /** Inclusive. */
  From?: string | undefined;
  /** Exclusive. */
  To?: string | undefined;
};

/** What is wrong at one place of the chain. */
export type AuditProblem = {
  Seq: number;
  /** The entry; empty where there is none. */
  ID: string;
  /** changed, missing or reordered. */
  Kind: string;
  /** The same in words. */
  Message: string;
};

/** A record that something was done to. */
export type AuditTarget = {
  Type: string;
  ID: string;
  Name: string;
};

/** Whose chain to anchor. */
export type Audit_AnchorReq = {
  /** Empty = the platform's own entries. */
  Tenant?: string | undefined;
};

/** The end of the chain. */
export type Audit_AnchorRes = {
  /** Opaque. It is proved with the key ring, and worth nothing once the key that signed it has left the ring. */
  Anchor: string;
};

/** Which entries, and in which form. */
export type Audit_ExportReq = {
  /** Empty = the platform's own entries. */
  Tenant?: string | undefined;
  /** ndjson or csv; empty = ndjson. */
  Format?: string | undefined;
  Filter?: AuditFilterInput | undefined;
};

/** A user, which page, and which entries. */
export type Audit_ListByUserReq = {
  UserID: string;
  /** Only entries of this tenant. */
  Tenant?: string | undefined;
  Page?: PageReq | undefined;
  Filter?: AuditFilterInput | undefined;
};

/** A page of audit entries. */
export type Audit_ListByUserRes = {
  Page: AuditEntryPage;
};

/** A tenant, which page, and which entries. */
export type Audit_ListReq = {
  /** Empty = the platform's own entries. */
  Tenant?: string | undefined;
  Page?: PageReq | undefined;
  Filter?: AuditFilterInput | undefined;
};

/** A page of audit entries. */
export type Audit_ListRes = {
  Page: AuditEntryPage;
};

/** Whose entries, and from where on. */
export type Audit_VerifyReq = {
  /** Empty = the platform's own entries. */
  Tenant?: string | undefined;
  /** The NextCursor of the call before; empty = from the beginning. */
  Cursor?: string | undefined;
  /** What Audit_Anchor returned for this tenant; empty = no anchor. Every page of one verification takes the same. */
  Anchor?: string | undefined;
};

/** What the hashes say. */
export type Audit_VerifyRes = {
  /** Whether nothing is wrong with the entries that were looked at. */
  Valid: boolean;
  /** How many were looked at. */
  Checked: number;
  /** At most 100. */
  Problems: AuditProblem[];
  /** Empty = all have been looked at. */
  NextCursor: string;
  /** The last entry that was looked at. Kept elsewhere, it shows later that nothing before it was written anew. */
  Seq: number;
  Hash: string;
  /** What the Anchor proves. unchanged: the kept entries up to it are those of then, and those that retention dropped before them led to the same hash. dropped: retention has dropped the anchored entry with all before it, and nothing more is proved of them. Empty: without an Anchor, while it lies on a later page, or where there are Problems. */
  AnchorState: string;
  /** The last entry that was written when the Anchor was made. */
  AnchorSeq: number;
  AnchoredAt?: string;
};

/** A program that calls with a key of its own. */
export type Bot = {
  /** Empty on save = a new bot. */
  ID: string;
  Tenant: string;
  Name: string;
  Description: string;
  /** An inactive bot's keys are refused. Absent = as it was; a new bot is active. */
  Active: boolean;
  Metadata: Record<string, string>;
  LastUsedAt?: string;
  /** The user or bot that created it. */
  CreatedBy: string;
  CreatedAt?: string;
  UpdatedAt?: string;
};

/** A role granted to a bot. */
export type BotGrant = {
  ID: string;
  /** Required, unless Platform is true. */
  Tenant: string;
  Bot: string;
  /** The role's slug. */
  Role: string;
  /** The application's own name of the thing the grant is about; empty = the whole tenant. */
  Resource: string;
  /** Absent = never. */
  ExpiresAt?: string;
  /** The user or bot that granted it. */
  CreatedBy: string;
  CreatedAt?: string;
  /** A grant on the platform, which counts in every tenant. It must be said, and Tenant left out. */
  Platform: boolean;
};

/** A role granted to a bot. */
export type BotGrantInput = {
  ID?: string | undefined;
  /** Required, unless Platform is true. */
  Tenant?: string | undefined;
  Bot: string;
  /** The role's slug. */
  Role: string;
  /** The application's own name of the thing the grant is about; empty = the whole tenant. */
  Resource?: string | undefined;
  /** Absent = never. */
  ExpiresAt?: string | undefined;
  /** The user or bot that granted it. */
  CreatedBy?: string | undefined;
  CreatedAt?: string | undefined;
  /** A grant on the platform, which counts in every tenant. It must be said, and Tenant left out. */
  Platform?: boolean | undefined;
};

/** One page of grants to bots. */
export type BotGrantPage = {
  Items: BotGrant[];
  NextCursor: string;
};

/** What to grant. */
export type BotGrants_AddReq = {
  Grant: BotGrantInput;
};

/** Nothing: the grant holds. */
export type BotGrants_AddRes = Record<string, never>;

/** A tenant and which page. */
export type BotGrants_ListByTenantReq = {
  /** Required, unless Platform is true. */
  Tenant?: string | undefined;
  Page?: PageReq | undefined;
  /** The grants on the platform instead of a tenant's. Tenant must be left out. */
  Platform?: boolean | undefined;
  /** Beside the tenant's grants, those on the platform that count in the tenant now: Platform is true in them, and CreatedBy is left out. */
  IncludePlatform?: boolean | undefined;
};

/** A page of grants. */
export type BotGrants_ListByTenantRes = {
  Page: BotGrantPage;
};

/** What to take back: everything but Tenant, Platform, Bot, Role and Resource is ignored. */
export type BotGrants_RemoveReq = {
  Grant: BotGrantInput;
};

/** Nothing: the grant is gone. */
export type BotGrants_RemoveRes = Record<string, never>;

/** A program that calls with a key of its own. */
export type BotInput = {
  /** Empty on save = a new bot. */
  ID?: string | undefined;
  Tenant: string;
  Name: string;
  Description?: string | undefined;
  /** An inactive bot's keys are refused. Absent = as it was; a new bot is active. */
  Active?: boolean | undefined;
  Metadata?: Readonly<Record<string, string>> | undefined;
  LastUsedAt?: string | undefined;
  /** The user or bot that created it. */
  CreatedBy?: string | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
};

/** A bot's key. */
export type BotKey = {
  ID: string;
  Tenant: string;
  Bot: string;
  Name: string;
  /** The first eight characters of the secret, to tell keys apart. */
  Prefix: string;
  /** The last four characters of the secret. */
  Last4: string;
  /** The key holds no more than these of its bot's permissions; empty = all of them. */
  Permissions: string[];
  /** Addresses and networks the key may be used from; empty = anywhere. From elsewhere it is no credential: 401. */
  AllowedIPs: string[];
  ExpiresAt?: string;
  /** At most a minute old. */
  LastUsedAt?: string;
  RevokedAt?: string;
  /** The key this one succeeds. */
  RotatedFrom: string;
  /** The user or bot that created it. */
  CreatedBy: string;
  CreatedAt?: string;
};

/** One page of keys. */
export type BotKeyPage = {
  Items: BotKey[];
  NextCursor: string;
};

/** What the new key shall be. */
export type BotKeys_CreateReq = {
  Tenant: string;
  Bot: string;
  Name: string;
  /** At most 365 days ahead, or as many as the tenant allows; absent = in 90 days. */
  ExpiresAt?: string | undefined;
  /** Narrows the key to these of the bot's permissions; empty = all of them. */
  Permissions?: readonly string[] | undefined;
  /** Addresses and networks the key may be used from, such as 192.0.2.0/24; empty = anywhere. From elsewhere it is no credential: 401. */
  AllowedIPs?: readonly string[] | undefined;
};

/** The new key and, this once, its secret. */
export type BotKeys_CreateRes = {
  Key: BotKey;
  /** To be sent as "Authorization: Bearer <secret>". */
  Secret: string;
};

/** Which key. */
export type BotKeys_GetReq = {
  Tenant: string;
  ID: string;
};

/** The key. */
export type BotKeys_GetRes = {
  Key: BotKey;
};

/** A bot and which page. */
export type BotKeys_ListReq = {
  Tenant: string;
  Bot: string;
  Page?: PageReq | undefined;
};

/** A page of keys. */
export type BotKeys_ListRes = {
  Page: BotKeyPage;
};

/** Which key, and until when its successor lives. */
export type BotKeys_RotateReq = {
  Tenant: string;
  ID: string;
  /** At most 365 days ahead, or as many as the tenant allows; absent = in 90 days. */
  ExpiresAt?: string | undefined;
};

/** The successor and, this once, its secret. */
export type BotKeys_RotateRes = {
  Key: BotKey;
  /** To be sent as "Authorization: Bearer <secret>". */
  Secret: string;
};

/** Which key and until when. */
export type BotKeys_SetExpirationReq = {
  Tenant: string;
  ID: string;
  /** At most 365 days ahead, or as many as the tenant allows. Now or the past = revoked. */
  ExpiresAt: string;
};

/** The key as it is now. */
export type BotKeys_SetExpirationRes = {
  Key: BotKey;
};

/** One page of bots. */
export type BotPage = {
  Items: Bot[];
  NextCursor: string;
};

/** Which bot. */
export type Bots_DeleteReq = {
  Tenant: string;
  ID: string;
};

/** Nothing: the bot is gone. */
export type Bots_DeleteRes = Record<string, never>;

/** Which bot. */
export type Bots_GetReq = {
  Tenant: string;
  ID: string;
};

/** The bot. */
export type Bots_GetRes = {
  Bot: Bot;
};

/** A tenant and which page. */
export type Bots_ListReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of bots. */
export type Bots_ListRes = {
  Page: BotPage;
};

/** The bot to create or to change. An absent field stays as it is stored; a field that is sent is replaced as sent, so that "", [] and {} clear it. */
export type Bots_SaveReq = {
  Bot: BotInput;
  /** Save only if the stored bot's UpdatedAt is still this one. */
  IfUpdatedAt?: string | undefined;
};

/** The bot as it is stored. */
export type Bots_SaveRes = {
  Bot: Bot;
};

/** An endpoint of a chat service. Its address is a request field beside the record and never returned. */
export type ChatEndpoint = {
  /** Set by the service on create, required on update. */
  ID: string;
  /** Absent on create = the bot's tenant or the user's only one. It never changes. */
  Tenant: string;
  Name: string;
  /** Absent on update = as it was. */
  Active: boolean;
  /** The data key that seals the address. */
  DekID: string;
  /** Always empty in responses and events. An event that names it in `previous` says that the URL was replaced. */
  URLEnc: string;
  /** The event types to receive, "user.*" allowed as in "every event of a user"; empty = all. */
  EventTypes: string[];
  Description: string;
  /** slack, teams, discord, mattermost or generic: told from the URL's host. */
  Kind: string;
  /** Why the service made the endpoint inactive; empty = it did not. */
  DisabledReason: string;
  DisabledAt?: string;
  CreatedAt?: string;
  UpdatedAt?: string;
};

/** An endpoint of a chat service. Its address is a request field beside the record and never returned. */
export type ChatEndpointInput = {
  /** Set by the service on create, required on update. */
  ID?: string | undefined;
  /** Absent on create = the bot's tenant or the user's only one. It never changes. */
  Tenant?: string | undefined;
  Name: string;
  /** Absent on update = as it was. */
  Active?: boolean | undefined;
  /** The data key that seals the address. */
  DekID?: string | undefined;
  /** Always empty in responses and events. An event that names it in `previous` says that the URL was replaced. */
  URLEnc?: string | undefined;
  /** The event types to receive, "user.*" allowed as in "every event of a user"; empty = all. */
  EventTypes?: readonly string[] | undefined;
  Description?: string | undefined;
  /** slack, teams, discord, mattermost or generic: told from the URL's host. */
  Kind?: string | undefined;
  /** Why the service made the endpoint inactive; empty = it did not. */
  DisabledReason?: string | undefined;
  DisabledAt?: string | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
};

/** One page of chat endpoints. */
export type ChatEndpointPage = {
  Items: ChatEndpoint[];
  NextCursor: string;
};

/** The endpoint as it shall be, and its address. */
export type Chat_CreateEndpointReq = {
  Endpoint: ChatEndpointInput;
  /** The incoming-webhook URL of the chat service. It is sealed and never returned. */
  URL: string;
};

/** The endpoint as it is stored. */
export type Chat_CreateEndpointRes = {
  Endpoint: ChatEndpoint;
};

/** Which endpoint. */
export type Chat_DeleteEndpointReq = {
  Tenant: string;
  ID: string;
};

/** Nothing: the endpoint is gone. */
export type Chat_DeleteEndpointRes = Record<string, never>;

/** Which endpoint. */
export type Chat_GetEndpointReq = {
  Tenant: string;
  ID: string;
};

/** The endpoint. */
export type Chat_GetEndpointRes = {
  Endpoint: ChatEndpoint;
};

/** Which message of which endpoint. */
export type Chat_GetMessageReq = {
  Tenant: string;
  /** The endpoint. */
  ID: string;
  /** The message's identifier: ID of its attempts. */
  MessageID: string;
};

/** The message. */
export type Chat_GetMessageRes = {
  Message: DeliveryMessage;
};

/** Which attempts, and which page of them. What is empty does not restrict. */
export type Chat_ListAttemptsReq = {
  Tenant: string;
  Endpoint?: string | undefined;
  /** What came of the attempt. */
  Outcome?: string | undefined;
  EventType?: string | undefined;
  /** Attempts that began at this time or later. */
  Since?: string | undefined;
  /** Attempts that began before this time. */
  Until?: string | undefined;
  Page?: PageReq | undefined;
};

/** A page of attempts. */
export type Chat_ListAttemptsRes = {
  Page: DeliveryAttemptPage;
};

/** A tenant and which page. */
export type Chat_ListEndpointsReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of endpoints. */
export type Chat_ListEndpointsRes = {
  Page: ChatEndpointPage;
};

/** Which endpoint, and of which time. */
export type Chat_ReplayFailedReq = {
  Tenant: string;
  ID: string;
  /** What happened at this time or later. Absent = all that is kept, 30 days. */
  Since?: string | undefined;
  /** What happened before this time. Absent = now. */
  Until?: string | undefined;
};

/** How many deliveries are on their way again. */
export type Chat_ReplayFailedRes = {
  Queued: number;
};

/** Which message of which endpoint. */
export type Chat_ResendReq = {
  Tenant: string;
  /** The endpoint. */
  ID: string;
  /** The message's identifier: ID of its attempts. */
  MessageID: string;
};

/** Whether the message is on its way again. */
export type Chat_ResendRes = {
  /** false = it was on its way already. */
  Queued: boolean;
};

/** Which endpoint. */
export type Chat_SendTestReq = {
  Tenant: string;
  ID: string;
};

/** What came of the attempt. Nothing is sent again, so it is never retry. */
export type Chat_SendTestRes = {
  Task: TaskResult;
};

/** The endpoint to change and, optionally, its new address. An absent field stays as it is stored; a field that is sent is replaced as sent, so that "", [] and {} clear it. ID and Name are required; an empty URL leaves the stored one. */
export type Chat_UpdateEndpointReq = {
  Endpoint: ChatEndpointInput;
  /** Empty = the stored URL stays. */
  URL?: string | undefined;
};

/** The endpoint as it is stored. */
export type Chat_UpdateEndpointRes = {
  Endpoint: ChatEndpoint;
};

/** A tenant's data key. */
export type DataKey = {
  ID: string;
  /** The key-encryption key that wraps it. */
  Kek: string;
  CreatedAt?: string;
  /** When another one took its place; absent = it seals. */
  SupersededAt?: string;
  /** Since when nothing has been sealed with it. It is removed ten minutes later. */
  UnusedSince?: string;
  /** The records that are sealed with it. */
  Records: number;
};

/** One attempt to deliver something to an endpoint, as it was noted. */
export type DeliveryAttempt = {
  /** The webhook-id of the delivery, the same for all its attempts. */
  ID: string;
  Tenant: string;
  /** The endpoint, which may have been deleted since. */
  Endpoint: string;
  /** The event that was delivered; empty where the delivery was made by hand. */
  Event: string;
  /** The event's type. endpoint.ping is a test. */
  EventType: string;
  /** Counts from 1. */
  Attempt: number;
  /** delivered, retry (another attempt follows), failed (the delivery is given up) or dropped. */
  Status: string;
  /** The receiver's HTTP status; 0 = there was no answer. */
  StatusCode: number;
  /** What went wrong, as in tasks.Result; empty = nothing. */
  Error: string;
  /** One sentence for people. */
  Message: string;
  DurationMs: number;
  StartedAt?: string;
  /** Absent where there will be no other attempt. */
  NextAttemptAt?: string;
};

/** One page of attempts. */
export type DeliveryAttemptPage = {
  Items: DeliveryAttempt[];
  NextCursor: string;
};

/** What was sent to an endpoint, and what became of it. */
export type DeliveryMessage = {
  /** The webhook-id of the message, the same for all its attempts. */
  ID: string;
  Tenant: string;
  Endpoint: string;
  /** The event that was delivered. */
  Event: string;
  /** The event's type. */
  EventType: string;
  /** The body, byte for byte as it was sent. */
  Body: string;
  /** When its first attempt ended. */
  CreatedAt?: string;
  /** What came of the newest attempt: delivered, retry, failed or dropped. */
  Status: string;
  /** The attempts of the last 30 days, oldest first. Of more than 200 these are the newest 200. */
  Attempts: DeliveryAttempt[];
};

/** A mail domain of a tenant. */
export type Domain = {
  ID: string;
  Tenant: string;
  /** Lower case, international names in their xn-- form. */
  Name: string;
  /** pending, verified, lapsed or failed. */
  Status: string;
  /** The name of the TXT record that proves the domain. */
  TxtName: string;
  /** The content of that record. */
  TxtValue: string;
  /** What the domain means for people with such an address, as long as it is verified. off: it only proves addresses. suggest: they are offered to join. join: they become members when they verify the address. require_sso: they sign in at the tenant's provider, and not with a password. */
  Capture: string;
  /** The role of those who join through the domain; empty = the tenant's default role. */
  DefaultRole: string;
  VerifiedAt?: string;
  LastCheckedAt?: string;
  /** Why the last look-up did not verify the domain. */
  FailureReason: string;
  /** A domain that is still pending then has failed. */
  ChallengeExpiresAt?: string;
  CreatedAt?: string;
};

/** One page of domains. */
export type DomainPage = {
  Items: Domain[];
  NextCursor: string;
};

/** A tenant whose domain the caller has an address at. */
export type DomainSuggestion = {
  Tenant: string;
  /** The domain, lower case, international names in their xn-- form. */
  Name: string;
  /** Where such people sign in; empty = the tenant has no active provider. */
  Redirect: string;
};

/** Which domain, and what it shall mean. */
export type Domain_CreateReq = {
  Tenant: string;
  /** Such as example.com. International names are taken in either form. */
  Name: string;
  /** off, suggest, join or require_sso; empty = off. */
  Capture?: string | undefined;
  /** The role of those who join through the domain, never owner; empty = the tenant's default role. */
  DefaultRole?: string | undefined;
};

/** The domain with its challenge. */
export type Domain_CreateRes = {
  Domain: Domain;
};

/** Which domain. */
export type Domain_DeleteReq = {
  Tenant: string;
  ID: string;
};

/** Nothing: the domain is given up. */
export type Domain_DeleteRes = Record<string, never>;

/** Which domain. */
export type Domain_GetReq = {
  Tenant: string;
  ID: string;
};

/** The domain. */
export type Domain_GetRes = {
  Domain: Domain;
};

/** Which tenant. */
export type Domain_JoinReq = {
  Tenant: string;
};

/** Nothing: the caller is a member. */
export type Domain_JoinRes = Record<string, never>;

/** A tenant and which page. */
export type Domain_ListReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of domains. */
export type Domain_ListRes = {
  Page: DomainPage;
};

/** Nothing: the address is that of the session. */
export type Domain_ListSuggestionsReq = Record<string, never>;

/** The tenants that the caller may join. */
export type Domain_ListSuggestionsRes = {
  Suggestions: DomainSuggestion[];
};

/** The domain to change. An absent field stays as it is stored; a field that is sent is replaced as sent, so that "", [] and {} clear it. */
export type Domain_UpdateReq = {
  Tenant: string;
  ID: string;
  /** off, suggest, join or require_sso. */
  Capture?: string | undefined;
  /** The role of those who join through the domain, never owner; empty = the tenant's default role. */
  DefaultRole?: string | undefined;
};

/** The domain as it is now. */
export type Domain_UpdateRes = {
  Domain: Domain;
};

/** Which domain. */
export type Domain_VerifyReq = {
  Tenant: string;
  ID: string;
};

/** The domain as it is now: verified, or pending with a FailureReason. */
export type Domain_VerifyRes = {
  Domain: Domain;
};

/** Whether an endpoint gets the events of a type. */
export type EndpointVerdict = {
  Endpoint: string;
  Name: string;
  Receives: boolean;
  /** inactive, not_asked_for, own_life, no_tenant, test_only or unknown_type; empty = it gets all of them. With own_life it gets those that are about other endpoints. */
  Reason: string;
  /** The same for people. */
  Message: string;
};

/** One type of event. */
export type EventType = {
  /** Such as group.created. */
  Type: string;
  /** When it happens, in one sentence. */
  Description: string;
  /** JSON Schema (draft-07) of the body, as JSON text. */
  Schema: string;
  /** A body, as JSON text. */
  Example: string;
};

/** One event of an application. */
export type Events_PublishReq = {
  Tenant: string;
  /** The event's type, such as report.finished. The families of the service's own events are not for applications. */
  Type: string;
  /** A JSON object in UTF-8, at most 64 KiB. It becomes the event's data as it is, byte for byte. */
  Body: string;
  /** A name of the caller's for this event. A second call with the same one within ten minutes publishes nothing, and answers as the first. Empty = every call publishes. */
  ID?: string | undefined;
};

/** The event. */
export type Events_PublishRes = {
  /** The event's identifier, which receivers find in the body and in the header webhook-id. */
  ID: string;
};

/** A role granted to a user. */
export type Grant = {
  ID: string;
  /** Required, unless Platform is true. */
  Tenant: string;
  UserID: string;
  /** The role's slug. */
  Role: string;
  /** The application's own name of the thing the grant is about; empty = the whole tenant. */
  Resource: string;
  /** Absent = never. */
  ExpiresAt?: string;
  /** The user or bot that granted it. */
  CreatedBy: string;
  CreatedAt?: string;
  /** A grant on the platform, which counts in every tenant. It must be said, and Tenant left out. */
  Platform: boolean;
};

/** A role granted to a user. */
export type GrantInput = {
  ID?: string | undefined;
  /** Required, unless Platform is true. */
  Tenant?: string | undefined;
  UserID: string;
  /** The role's slug. */
  Role: string;
  /** The application's own name of the thing the grant is about; empty = the whole tenant. */
  Resource?: string | undefined;
  /** Absent = never. */
  ExpiresAt?: string | undefined;
  /** The user or bot that granted it. */
  CreatedBy?: string | undefined;
  CreatedAt?: string | undefined;
  /** A grant on the platform, which counts in every tenant. It must be said, and Tenant left out. */
  Platform?: boolean | undefined;
};

/** One page of grants to users. */
export type GrantPage = {
  Items: Grant[];
  NextCursor: string;
};

/** What to grant. */
export type Grants_AddReq = {
  Grant: GrantInput;
};

/** Nothing: the grant holds. */
export type Grants_AddRes = Record<string, never>;

/** A tenant and which page. */
export type Grants_ListByTenantReq = {
  /** Required, unless Platform is true. */
  Tenant?: string | undefined;
  Page?: PageReq | undefined;
  /** The grants on the platform instead of a tenant's. Tenant must be left out. */
  Platform?: boolean | undefined;
  /** Beside the tenant's grants, those on the platform that count in the tenant now: Platform is true in them, and CreatedBy is left out. */
  IncludePlatform?: boolean | undefined;
};

/** A page of grants. */
export type Grants_ListByTenantRes = {
  Page: GrantPage;
};

/** A user and which page. */
export type Grants_ListReq = {
  UserID: string;
  Page?: PageReq | undefined;
};

/** A page of grants. */
export type Grants_ListRes = {
  Page: GrantPage;
};

/** What to take back: everything but Tenant, Platform, UserID, Role and Resource is ignored. */
export type Grants_RemoveReq = {
  Grant: GrantInput;
};

/** Nothing: the grant is gone. */
export type Grants_RemoveRes = Record<string, never>;

/** A group. */
export type Group = {
  ID: string;
  Tenant: string;
  /** Where the group stands, such as eng/backend. Letter case and a leading "/" make no difference. */
  Path: string;
  Name: string;
  Description: string;
  /** The group's id in another system. */
  ExternalID: string;
  /** Where the group comes from. */
  Source: string;
  Metadata: Record<string, string>;
  CreatedAt?: string;
  UpdatedAt?: string;
};

/** A role granted to a group. */
export type GroupGrant = {
  ID: string;
  Tenant: string;
  /** The group's path. */
  Group: string;
  /** The role's slug. */
  Role: string;
  /** The application's own name of the thing the grant is about; empty = the whole tenant. */
  Resource: string;
  /** Absent = never. */
  ExpiresAt?: string;
  /** The user or bot that granted it. */
  CreatedBy: string;
  CreatedAt?: string;
};

/** A role granted to a group. */
export type GroupGrantInput = {
  ID?: string | undefined;
  Tenant: string;
  /** The group's path. */
  Group: string;
  /** The role's slug. */
  Role: string;
  /** The application's own name of the thing the grant is about; empty = the whole tenant. */
  Resource?: string | undefined;
  /** Absent = never. */
  ExpiresAt?: string | undefined;
  /** The user or bot that granted it. */
  CreatedBy?: string | undefined;
  CreatedAt?: string | undefined;
};

/** One page of grants to groups. */
export type GroupGrantPage = {
  Items: GroupGrant[];
  NextCursor: string;
};

/** What to grant. */
export type GroupGrants_AddReq = {
  Grant: GroupGrantInput;
};

/** Nothing: the grant holds. */
export type GroupGrants_AddRes = Record<string, never>;

/** A tenant and which page. */
export type GroupGrants_ListByTenantReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of grants. */
export type GroupGrants_ListByTenantRes = {
  Page: GroupGrantPage;
};

/** What to take back: everything but Tenant, Group, Role and Resource is ignored. */
export type GroupGrants_RemoveReq = {
  Grant: GroupGrantInput;
};

/** Nothing: the grant is gone. */
export type GroupGrants_RemoveRes = Record<string, never>;

/** A group. */
export type GroupInput = {
  ID?: string | undefined;
  Tenant: string;
  /** Where the group stands, such as eng/backend. Letter case and a leading "/" make no difference. */
  Path: string;
  Name?: string | undefined;
  Description?: string | undefined;
  /** The group's id in another system. */
  ExternalID?: string | undefined;
  /** Where the group comes from. */
  Source?: string | undefined;
  Metadata?: Readonly<Record<string, string>> | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
};

/** What one of the provider's groups means here: a membership, a role in the whole tenant, or both. */
export type GroupMapping = {
  /** The group as the provider names it, exactly. */
  Value: string;
  /** The path of a group. */
  Group: string;
  /** The slug of a role. */
  Role: string;
};

/** What one of the provider's groups means here: a membership, a role in the whole tenant, or both. */
export type GroupMappingInput = {
  /** The group as the provider names it, exactly. */
  Value: string;
  /** The path of a group. */
  Group?: string | undefined;
  /** The slug of a role. */
  Role?: string | undefined;
};

/** One page of groups. */
export type GroupPage = {
  Items: Group[];
  NextCursor: string;
};

/** A group and who shall be in it. */
export type Groups_AddMemberReq = {
  Tenant: string;
  /** The group's path. */
  Group: string;
  UserID: string;
};

/** Nothing: the user is in the group. */
export type Groups_AddMemberRes = Record<string, never>;

/** Which group. */
export type Groups_DeleteReq = {
  Tenant: string;
  Path: string;
};

/** Nothing: the group is gone. */
export type Groups_DeleteRes = Record<string, never>;

/** Which group. */
export type Groups_GetReq = {
  Tenant: string;
  Path: string;
};

/** The group, null where there is none. */
export type Groups_GetRes = {
  Group: Group | null;
};

/** A tenant and which page. */
export type Groups_ListByTenantReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of groups. */
export type Groups_ListByTenantRes = {
  Page: GroupPage;
};

/** A user and which page. */
export type Groups_ListMemberGroupsReq = {
  UserID: string;
  Page?: PageReq | undefined;
  /** Also the groups above those the user is in. */
  Effective?: boolean | undefined;
};

/** A page of groups. */
export type Groups_ListMemberGroupsRes = {
  Page: GroupPage;
};

/** A group and which page. */
export type Groups_ListMembersReq = {
  Tenant: string;
  /** The group's path. */
  Group: string;
  Page?: PageReq | undefined;
  /** Also the members of the groups below this one. */
  Effective?: boolean | undefined;
};

/** A page of user ids. */
export type Groups_ListMembersRes = {
  Page: UserIdPage;
};

/** A tenant and which page. */
export type Groups_ListReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of groups. */
export type Groups_ListRes = {
  Page: GroupPage;
};

/** A group and who shall no longer be in it. */
export type Groups_RemoveMemberReq = {
  Tenant: string;
  /** The group's path. */
  Group: string;
  UserID: string;
};

/** Nothing: the user is not in the group. */
export type Groups_RemoveMemberRes = Record<string, never>;

/** The group to create or to change. An absent field stays as it is stored; a field that is sent is replaced as sent, so that "", [] and {} clear it. */
export type Groups_SaveReq = {
  Group: GroupInput;
  /** Save only if the stored group's UpdatedAt is still this one. */
  IfUpdatedAt?: string | undefined;
};

/** Nothing: the group is saved. */
export type Groups_SaveRes = Record<string, never>;

/** Who a user is to an identity provider. */
export type Identity = {
  Tenant: string;
  /** The provider's ID. */
  Provider: string;
  UserID: string;
  /** What the provider calls itself, and the user. */
  Issuer: string;
  Subject: string;
  /** The address that the provider told when the two were linked. */
  Email: string;
  CreatedAt?: string;
  LastUsedAt?: string;
  /** Whether the sessions that it opens hold rights in Tenant only, until Users_ConfirmIdentity confirms it. */
  Limited: boolean;
};

/** One page of identities. */
export type IdentityPage = {
  Items: Identity[];
  NextCursor: string;
};

/** A key that wraps data keys. */
export type KeyEncryptionKey = {
  /** A key of the ring by its name, or of Vault as vault:<mount>/<key>:v<version>. */
  ID: string;
  /** Whether it is the one that wraps. */
  Current: boolean;
  /** Whether it is at hand. Data keys that one wraps which is not cannot be used. */
  Available: boolean;
  /** The data keys that it wraps. */
  DataKeys: number;
  /** Whether no data key needs it any longer. */
  Removable: boolean;
};

/** Whose data key to replace. */
export type Keys_RotateReq = {
  /** Empty = everybody's, the platform's own included. */
  Tenant?: string | undefined;
};

/** What was done, or begun. */
export type Keys_RotateRes = {
  /** The tenant's new data key; empty where all are replaced. */
  DekID: string;
  /** How many data keys are replaced in the background. */
  Queued: number;
};

/** Whose data keys to list. */
export type Keys_StatusReq = {
  /** Empty = none: the answer is about all of them together. */
  Tenant?: string | undefined;
};

/** The keys in use. */
export type Keys_StatusRes = {
  /** What wraps data keys, or could, in order of their names. */
  KeyEncryptionKeys: KeyEncryptionKey[];
  /** Data keys that the current key-encryption key does not wrap yet. */
  ToRewrap: number;
  /** Data keys that wait for another to take their place. */
  ToReplace: number;
  /** Superseded data keys with which records may still be sealed. */
  ToReseal: number;
  /** The tenant's, oldest first; none without Tenant. */
  DataKeys: DataKey[];
};

/** Why nothing is mailed to an address. The address itself is not kept. */
export type MailSuppression = {
  /** The answer of the mail server that refused it, such as 550. */
  StatusCode: number;
  CreatedAt?: string;
  /** 30 days after the refusal. */
  ExpiresAt?: string;
};

/** The address. */
export type Mail_DeleteSuppressionReq = {
  Email: string;
};

/** Nothing: whatever was in the way is gone. */
export type Mail_DeleteSuppressionRes = Record<string, never>;

/** The address. */
export type Mail_GetSuppressionReq = {
  Email: string;
};

/** Its suppression. */
export type Mail_GetSuppressionRes = {
  Suppression: MailSuppression;
};

/** A request for one page of a list. */
export type PageReq = {
  /** How many items: 0 = 50, more than 200 = 200. */
  Limit?: number | undefined;
  /** The NextCursor of the page before; empty = the first page. */
  Cursor?: string | undefined;
};

/** A permission of Bailiwick's own. */
export type Permission = {
  Name: string;
  /** What it allows, in one line. */
  Description: string;
  /** The operations that ask for it. */
  Operations: string[];
};

/** The answer to one question. */
export type PermissionAnswer = {
  Permission: string;
  Resource: string;
  Allowed: boolean;
};

/** A permission that somebody would gain or lose. */
export type PermissionChange = {
  /** The user or bot. */
  Subject: string;
  Permission: string;
  /** Empty = in the whole tenant. */
  Resource: string;
};

/** One question. */
export type PermissionCheckInput = {
  Permission: string;
  /** The application's own name of a thing; empty = the whole tenant. */
  Resource?: string | undefined;
};

/** One page of permissions. */
export type PermissionPage = {
  Items: Permission[];
  NextCursor: string;
};

/** One change: the request of exactly one operation. */
export type PlannedChangeInput = {
  Roles_Save?: Roles_SaveReq | undefined;
  Roles_Delete?: Roles_DeleteReq | undefined;
  Grants_Add?: Grants_AddReq | undefined;
  Grants_Remove?: Grants_RemoveReq | undefined;
  GroupGrants_Add?: GroupGrants_AddReq | undefined;
  GroupGrants_Remove?: GroupGrants_RemoveReq | undefined;
  BotGrants_Add?: BotGrants_AddReq | undefined;
  BotGrants_Remove?: BotGrants_RemoveReq | undefined;
  Groups_AddMember?: Groups_AddMemberReq | undefined;
  Groups_RemoveMember?: Groups_RemoveMemberReq | undefined;
  Groups_Delete?: Groups_DeleteReq | undefined;
};

/** A named set of permissions. */
export type Role = {
  ID: string;
  Tenant: string;
  /** Names the role in its tenant; never changes. */
  Slug: string;
  Name: string;
  Description: string;
  /** At most 200, such as app.reports.read or app.reports.*. Those that begin with iam. are Bailiwick's own. */
  Permissions: string[];
  /** A built-in role, which cannot be changed. */
  System: boolean;
  CreatedAt?: string;
  UpdatedAt?: string;
};

/** A named set of permissions. */
export type RoleInput = {
  ID?: string | undefined;
  Tenant: string;
  /** Names the role in its tenant; never changes. */
  Slug: string;
  Name?: string | undefined;
  Description?: string | undefined;
  /** At most 200, such as app.reports.read or app.reports.*. Those that begin with iam. are Bailiwick's own. */
  Permissions?: readonly string[] | undefined;
  /** A built-in role, which cannot be changed. */
  System?: boolean | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
};

/** One page of roles. */
export type RolePage = {
  Items: Role[];
  NextCursor: string;
};

/** Which role. */
export type Roles_DeleteReq = {
  Tenant: string;
  Slug: string;
};

/** Nothing: the role is gone. */
export type Roles_DeleteRes = Record<string, never>;

/** Which role. */
export type Roles_GetReq = {
  Tenant: string;
  Slug: string;
};

/** The role, null where there is none. */
export type Roles_GetRes = {
  Role: Role | null;
};

/** A tenant and which page. */
export type Roles_ListByTenantReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of roles. */
export type Roles_ListByTenantRes = {
  Page: RolePage;
};

/** Whose permissions, and which page. */
export type Roles_ListPermissionsReq = {
  /** Required, unless Platform is true. */
  Tenant?: string | undefined;
  Page?: PageReq | undefined;
  /** The permissions of the platform instead of a tenant's. Tenant must be left out. */
  Platform?: boolean | undefined;
};

/** A page of permissions. */
export type Roles_ListPermissionsRes = {
  Page: PermissionPage;
};

/** A tenant and which page. */
export type Roles_ListReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of roles. */
export type Roles_ListRes = {
  Page: RolePage;
};

/** The role to create or to change. An absent field stays as it is stored; a field that is sent is replaced as sent, so that "", [] and {} clear it. */
export type Roles_SaveReq = {
  Role: RoleInput;
  /** Save only if the stored role's UpdatedAt is still this one. */
  IfUpdatedAt?: string | undefined;
};

/** Nothing: the role is saved. */
export type Roles_SaveRes = Record<string, never>;

/** A signed-in person's session. Its token is shown once, in the response that makes it. */
export type Session = {
  ID: string;
  UserID: string;
  /** password, oidc or saml. */
  AuthMethod: string;
  /** The ID of the identity provider; empty where AuthMethod is password. */
  Provider: string;
  IP: string;
  UserAgent: string;
  CreatedAt?: string;
  LastSeenAt?: string;
  ExpiresAt?: string;
  /** The session of the call itself. */
  Current: boolean;
  /** The ID of the only tenant in which the session holds rights, until Users_ConfirmIdentity confirms the identity that opened it; empty = not limited. */
  LimitedTo: string;
};

/** One page of sessions. */
export type SessionPage = {
  Items: Session[];
  NextCursor: string;
};

/** Which page. */
export type Sessions_ListReq = {
  Page?: PageReq | undefined;
};

/** A page of sessions. */
export type Sessions_ListRes = {
  Page: SessionPage;
};

/** Nothing: all of the caller's. */
export type Sessions_RevokeAllReq = Record<string, never>;

/** Nothing: the caller is signed out everywhere. */
export type Sessions_RevokeAllRes = Record<string, never>;

/** Which session. */
export type Sessions_RevokeReq = {
  ID: string;
};

/** Nothing: the session has ended. */
export type Sessions_RevokeRes = Record<string, never>;

/** One thing that was looked at. */
export type SsoFinding = {
  /** What was looked at, such as discovery or certificate. */
  Check: string;
  /** ok, warning or error. */
  Level: string;
  /** What was found and what to do about it. */
  Message: string;
};

/** An identity provider of a tenant, of the kind oidc or saml. */
export type SsoProvider = {
  /** Empty on save = a new provider. */
  ID: string;
  Tenant: string;
  /** oidc or saml. It never changes; absent on update = as it is. */
  Kind: string;
  Name: string;
  /** Absent = active on create, as it was on update. */
  Active: boolean;
  /** OIDC: where the provider's configuration is found, as it names itself. */
  Issuer: string;
  /** OIDC: what the provider knows us as. */
  ClientID: string;
  /** OIDC: what is asked for besides openid; absent = email and profile. */
  Scopes: string[];
  /** OIDC: client_secret_basic, client_secret_post, client_secret_jwt, private_key_jwt or none. */
  TokenAuthMethod: string;
  /** OIDC: query or form_post. */
  ResponseMode: string;
  /** The data key that seals the secret and our private key. */
  DekID: string;
  /** Always empty in responses and events. An event that names it in `previous` says that the secret was replaced. */
  SecretEnc: string;
  /** SAML: what the provider calls itself. */
  IdpEntityID: string;
  /** SAML: where people sign in. */
  IdpSsoURL: string;
  /** SAML: the certificates it may sign with, in PEM or as base64. During a rollover there are two. */
  IdpCertificates: string[];
  /** SAML: how sign-ins are asked for: redirect or post. */
  RequestBinding: string;
  /** SAML: our name, where our metadata are. */
  SpEntityID: string;
  /** SAML: where the provider sends its answers. */
  AcsURL: string;
  /** SAML: the certificate that our requests are signed with and assertions may be encrypted to, in PEM. */
  SpCertificate: string;
  /** OIDC: the redirect address to register at the provider. */
  RedirectURI: string;
  /** SAML: whether answers are taken that nobody has asked for. That is open to login CSRF, so it is off by default. */
  AllowIdpInitiated: boolean;
  /** Whether somebody who has no account gets one. Absent on create = yes. */
  Jit: boolean;
  /** The roles of those who become members by signing in; none = the tenant's default role. */
  DefaultRoles: string[];
  /** What the provider's groups mean here. */
  GroupMappings: GroupMapping[];
  /** Where other than in the usual places the provider says what: Subject, Email, EmailVerified, Name, GivenName, FamilyName, Picture, Locale, Groups → the name of a claim or attribute. */
  AttributeMap: Record<string, string>;
  LastLoginAt?: string;
  /** Why the last sign-in that failed did; empty after one that succeeded. */
  LastError: string;
  CreatedAt?: string;
  UpdatedAt?: string;
};

/** An identity provider of a tenant, of the kind oidc or saml. */
export type SsoProviderInput = {
  /** Empty on save = a new provider. */
  ID?: string | undefined;
  Tenant: string;
  /** oidc or saml. It never changes; absent on update = as it is. */
  Kind?: string | undefined;
  Name: string;
  /** Absent = active on create, as it was on update. */
  Active?: boolean | undefined;
  /** OIDC: where the provider's configuration is found, as it names itself. */
  Issuer?: string | undefined;
  /** OIDC: what the provider knows us as. */
  ClientID?: string | undefined;
  /** OIDC: what is asked for besides openid; absent = email and profile. */
  Scopes?: readonly string[] | undefined;
  /** OIDC: client_secret_basic, client_secret_post, client_secret_jwt, private_key_jwt or none. */
  TokenAuthMethod?: string | undefined;
  /** OIDC: query or form_post. */
  ResponseMode?: string | undefined;
  /** The data key that seals the secret and our private key. */
  DekID?: string | undefined;
  /** Always empty in responses and events. An event that names it in `previous` says that the secret was replaced. */
  SecretEnc?: string | undefined;
  /** SAML: what the provider calls itself. */
  IdpEntityID?: string | undefined;
  /** SAML: where people sign in. */
  IdpSsoURL?: string | undefined;
  /** SAML: the certificates it may sign with, in PEM or as base64. During a rollover there are two. */
  IdpCertificates?: readonly string[] | undefined;
  /** SAML: how sign-ins are asked for: redirect or post. */
  RequestBinding?: string | undefined;
  /** SAML: our name, where our metadata are. */
  SpEntityID?: string | undefined;
  /** SAML: where the provider sends its answers. */
  AcsURL?: string | undefined;
  /** SAML: the certificate that our requests are signed with and assertions may be encrypted to, in PEM. */
  SpCertificate?: string | undefined;
  /** OIDC: the redirect address to register at the provider. */
  RedirectURI?: string | undefined;
  /** SAML: whether answers are taken that nobody has asked for. That is open to login CSRF, so it is off by default. */
  AllowIdpInitiated?: boolean | undefined;
  /** Whether somebody who has no account gets one. Absent on create = yes. */
  Jit?: boolean | undefined;
  /** The roles of those who become members by signing in; none = the tenant's default role. */
  DefaultRoles?: readonly string[] | undefined;
  /** What the provider's groups mean here. */
  GroupMappings?: readonly GroupMappingInput[] | undefined;
  /** Where other than in the usual places the provider says what: Subject, Email, EmailVerified, Name, GivenName, FamilyName, Picture, Locale, Groups → the name of a claim or attribute. */
  AttributeMap?: Readonly<Record<string, string>> | undefined;
  LastLoginAt?: string | undefined;
  /** Why the last sign-in that failed did; empty after one that succeeded. */
  LastError?: string | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
};

/** One page of providers. */
export type SsoProviderPage = {
  Items: SsoProvider[];
  NextCursor: string;
};

/** The address somebody wants to sign in with. */
export type Sso_CheckReq = {
  Email: string;
};

/** Where to go. */
export type Sso_CheckRes = {
  /** The address of the provider's login route; empty = sign in with a password. */
  Redirect: string;
};

/** Which provider. */
export type Sso_DeleteProviderReq = {
  Tenant: string;
  ID: string;
};

/** Nothing: the provider is gone, and nobody who has signed in through it is signed in any more. */
export type Sso_DeleteProviderRes = Record<string, never>;

/** Which provider. */
export type Sso_GetProviderReq = {
  Tenant: string;
  ID: string;
};

/** The provider. */
export type Sso_GetProviderRes = {
  Provider: SsoProvider;
};

/** Which tenant, and for how long. */
export type Sso_LiftRequirementReq = {
  Tenant: string;
  /** From now on, at most 60; absent = 60, 0 = it is over. */
  Minutes?: number | undefined;
};

/** Until when. */
export type Sso_LiftRequirementRes = {
  Until?: string;
};

/** A tenant and which page. */
export type Sso_ListProvidersReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of providers. */
export type Sso_ListProvidersRes = {
  Page: SsoProviderPage;
};

/** The provider to create or to change. An absent field stays as it is stored; a field that is sent is replaced as sent, so that "", [] and {} clear it. An empty TokenAuthMethod, ResponseMode or RequestBinding is the default; an empty Secret leaves the stored one. */
export type Sso_SaveProviderReq = {
  Provider: SsoProviderInput;
  /** OIDC: the client secret. It is sealed and never returned; empty = the stored one stays. */
  Secret?: string | undefined;
  /** SAML: the provider's metadata, from which its names, addresses and certificates are taken. */
  MetadataXML?: string | undefined;
  /** The same, to be fetched now. */
  MetadataURL?: string | undefined;
  /** Save only if the stored provider's UpdatedAt is still this one. */
  IfUpdatedAt?: string | undefined;
};

/** The provider as it is stored. */
export type Sso_SaveProviderRes = {
  Provider: SsoProvider;
};

/** Which provider. */
export type Sso_TestProviderReq = {
  Tenant: string;
  ID: string;
};

/** What was found. */
export type Sso_TestProviderRes = {
  /** Whether there is no error among the findings. */
  OK: boolean;
  Findings: SsoFinding[];
};

/** What came of one attempt: tasks.Result of the interface. */
export type TaskResult = {
  /** The webhook-id of the delivery, of a chat message the task's; the same for all its attempts. */
  ID: string;
  /** delivered, retry, failed or dropped. */
  Status: string;
  /** Counts from 1. */
  Attempt: number;
  /** The receiver's HTTP status; 0 = there was no answer. */
  StatusCode: number;
  /** timeout, dns_error, connection_refused, connection_reset, tls_error, blocked_address, invalid_url, redirect, http_status, rate_limited, response_too_large, payload_too_large, endpoint_inactive, endpoint_not_found, suppressed or aborted_by_receiver; empty = none. */
  Error: string;
  /** One sentence for people. */
  Message: string;
  DurationMs: number;
  StartedAt?: string;
  /** Absent where there will be no other attempt. */
  NextAttemptAt?: string;
};

/** An organisation. */
export type Tenant = {
  ID: string;
  /** Unique on the platform; empty on create = made from the name. */
  Slug: string;
  Name: string;
  /** active, suspended or deleting. */
  Status: string;
  Settings?: TenantSettings;
  Metadata: Record<string, string>;
  CreatedAt?: string;
  UpdatedAt?: string;
  /** The caller's own membership; in the answer of Tenants_ListMine only. */
  Membership?: TenantMember;
};

/** What to change in a tenant. An absent field stays as it is stored; a field that is sent is replaced as sent, so that "", [] and {} clear it. */
export type TenantChangeInput = {
  ID: string;
  /** Unique on the platform. */
  Slug?: string | undefined;
  Name?: string | undefined;
  /** An absent setting stays as it is. */
  Settings?: TenantSettingsInput | undefined;
  Metadata?: Readonly<Record<string, string>> | undefined;
};

/** An organisation. */
export type TenantInput = {
  ID?: string | undefined;
  /** Unique on the platform; empty on create = made from the name. */
  Slug?: string | undefined;
  Name: string;
  /** active, suspended or deleting. */
  Status?: string | undefined;
  Settings?: TenantSettingsInput | undefined;
  Metadata?: Readonly<Record<string, string>> | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
  /** The caller's own membership; in the answer of Tenants_ListMine only. */
  Membership?: TenantMemberInput | undefined;
};

/** An invitation. Its token is only in the answer that makes it and in the mail. */
export type TenantInvitation = {
  ID: string;
  Tenant: string;
  Email: string;
  /** pending, accepted, declined, revoked or expired. */
  Status: string;
  /** The roles the new member gets. */
  Roles: string[];
  /** The paths of the groups the new member joins. */
  Groups: string[];
  /** The user or bot that invited. */
  InvitedBy: string;
  /** The user who accepted. */
  AcceptedBy: string;
  ExpiresAt?: string;
  CreatedAt?: string;
  UpdatedAt?: string;
};

/** One page of invitations. */
export type TenantInvitationPage = {
  Items: TenantInvitation[];
  NextCursor: string;
};

/** The token of an invitation. */
export type TenantInvitations_AcceptReq = {
  Token: string;
};

/** Nothing: the caller is a member. */
export type TenantInvitations_AcceptRes = Record<string, never>;

/** Whom to invite, and as what. */
export type TenantInvitations_CreateReq = {
  Tenant: string;
  Email: string;
  /** The roles the new member gets; none = the tenant's default role. */
  Roles?: readonly string[] | undefined;
  /** The paths of the groups the new member joins. */
  Groups?: readonly string[] | undefined;
};

/** The token, which is mailed as well. It is never shown again. */
export type TenantInvitations_CreateRes = {
  Token: string;
};

/** The token of an invitation. */
export type TenantInvitations_DeclineReq = {
  Token: string;
};

/** Nothing: the invitation is declined. */
export type TenantInvitations_DeclineRes = Record<string, never>;

/** Whose invitation. */
export type TenantInvitations_DeleteReq = {
  Tenant: string;
  Email: string;
};

/** Nothing: the address is not invited. */
export type TenantInvitations_DeleteRes = Record<string, never>;

/** An address and which page. */
export type TenantInvitations_ListByEmailReq = {
  Email: string;
  Page?: PageReq | undefined;
};

/** A page of invitations. */
export type TenantInvitations_ListByEmailRes = {
  Page: TenantInvitationPage;
};

/** A tenant and which page. */
export type TenantInvitations_ListReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of invitations. */
export type TenantInvitations_ListRes = {
  Page: TenantInvitationPage;
};

/** A user's membership of a tenant. */
export type TenantMember = {
  Tenant: string;
  UserID: string;
  /** active, disabled, or pending: added, and not accepted by the user yet. */
  Status: string;
  /** creator, invitation, sso or admin. */
  Source: string;
  /** Absent while the membership is pending. */
  JoinedAt?: string;
};

/** A user's membership of a tenant. */
export type TenantMemberInput = {
  Tenant?: string | undefined;
  UserID?: string | undefined;
  /** active, disabled, or pending: added, and not accepted by the user yet. */
  Status?: string | undefined;
  /** creator, invitation, sso or admin. */
  Source?: string | undefined;
  /** Absent while the membership is pending. */
  JoinedAt?: string | undefined;
};

/** One page of members. */
export type TenantMemberPage = {
  Items: TenantMember[];
  NextCursor: string;
};

/** Which tenant. */
export type TenantMembers_AcceptReq = {
  Tenant: string;
};

/** Nothing: the caller is a member. */
export type TenantMembers_AcceptRes = Record<string, never>;

/** A tenant and who shall belong to it. */
export type TenantMembers_AddReq = {
  Tenant: string;
  UserID: string;
};

/** Nothing: the user is a member, or has been asked to become one. */
export type TenantMembers_AddRes = Record<string, never>;

/** Which tenant. */
export type TenantMembers_DeclineReq = {
  Tenant: string;
};

/** Nothing: the caller does not become a member. */
export type TenantMembers_DeclineRes = Record<string, never>;

/** A tenant and which member of it. */
export type TenantMembers_DisableReq = {
  Tenant: string;
  UserID: string;
};

/** Nothing: the member is disabled. */
export type TenantMembers_DisableRes = Record<string, never>;

/** A tenant and which member of it. */
export type TenantMembers_EnableReq = {
  Tenant: string;
  UserID: string;
};

/** Nothing: the member is active. */
export type TenantMembers_EnableRes = Record<string, never>;

/** A tenant and which page. */
export type TenantMembers_ListReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of members. */
export type TenantMembers_ListRes = {
  Page: TenantMemberPage;
};

/** A tenant and who shall no longer belong to it. */
export type TenantMembers_RemoveReq = {
  Tenant: string;
  UserID: string;
};

/** Nothing: the user is no member. */
export type TenantMembers_RemoveRes = Record<string, never>;

/** One page of tenants. */
export type TenantPage = {
  Items: Tenant[];
  NextCursor: string;
};

/** What a tenant decides for itself. An absent setting stays as it was. */
export type TenantSettings = {
  /** A session that is used in the tenant ends after this long without a call: at most 10080, 0 = the platform's 7 days. */
  SessionIdleMinutes: number;
  /** A session that is used in the tenant ends after this long in any case: at most 43200, 0 = the platform's 30 days. */
  SessionMaxMinutes: number;
  /** Members sign in through the tenant's provider only. */
  RequireSso: boolean;
  /** Only addresses of these domains can be invited; empty = all. */
  InviteDomains: string[];
  /** The longest life of a bot key: at most 365, 0 = 365. */
  MaxBotKeyDays: number;
  /** How long audit entries are kept: 0 = 400 days. */
  AuditRetentionDays: number;
  /** The role new members get, without anybody looking: never owner. Empty = member. */
  DefaultRole: string;
  /** Members change keys, providers, domains and owners only within 15 minutes of signing in. */
  RecentLogin: boolean;
};

/** What a tenant decides for itself. An absent setting stays as it was. */
export type TenantSettingsInput = {
  /** A session that is used in the tenant ends after this long without a call: at most 10080, 0 = the platform's 7 days. */
  SessionIdleMinutes?: number | undefined;
  /** A session that is used in the tenant ends after this long in any case: at most 43200, 0 = the platform's 30 days. */
  SessionMaxMinutes?: number | undefined;
  /** Members sign in through the tenant's provider only. */
  RequireSso?: boolean | undefined;
  /** Only addresses of these domains can be invited; empty = all. */
  InviteDomains?: readonly string[] | undefined;
  /** The longest life of a bot key: at most 365, 0 = 365. */
  MaxBotKeyDays?: number | undefined;
  /** How long audit entries are kept: 0 = 400 days. */
  AuditRetentionDays?: number | undefined;
  /** The role new members get, without anybody looking: never owner. Empty = member. */
  DefaultRole?: string | undefined;
  /** Members change keys, providers, domains and owners only within 15 minutes of signing in. */
  RecentLogin?: boolean | undefined;
};

/** The tenant as it shall be. */
export type Tenants_CreateReq = {
  Tenant: TenantInput;
  /** The user who shall own it; with iam.platform.tenants.write only. */
  OwnerID?: string | undefined;
};

/** The tenant as it is stored. */
export type Tenants_CreateRes = {
  Tenant: Tenant;
};

/** Which tenant. */
export type Tenants_DeleteReq = {
  Tenant: string;
};

/** Nothing: the tenant is closed. */
export type Tenants_DeleteRes = Record<string, never>;

/** Which tenant. */
export type Tenants_GetReq = {
  Tenant: string;
};

/** The tenant. */
export type Tenants_GetRes = {
  Tenant: Tenant;
};

/** Which page. */
export type Tenants_ListMineReq = {
  Page?: PageReq | undefined;
};

/** A page of tenants. */
export type Tenants_ListMineRes = {
  Page: TenantPage;
};

/** Which tenant. */
export type Tenants_RestoreReq = {
  Tenant: string;
};

/** The tenant as it is stored. */
export type Tenants_RestoreRes = {
  Tenant: Tenant;
};

/** Which tenant. */
export type Tenants_ResumeReq = {
  Tenant: string;
};

/** The tenant as it is stored. */
export type Tenants_ResumeRes = {
  Tenant: Tenant;
};

/** Which tenant. */
export type Tenants_SuspendReq = {
  Tenant: string;
};

/** The tenant as it is stored. */
export type Tenants_SuspendRes = {
  Tenant: Tenant;
};

/** The tenant as it shall be. */
export type Tenants_UpdateReq = {
  Tenant: TenantChangeInput;
  /** Only where the stored tenant was last changed at this time. */
  IfUpdatedAt?: string | undefined;
};

/** The tenant as it is stored. */
export type Tenants_UpdateRes = {
  Tenant: Tenant;
};

/** The token somebody presented. */
export type Tokens_IntrospectReq = {
  Token: string;
  /** The tenant it was presented for; empty = any, with the permission on the platform. */
  Tenant?: string | undefined;
  /** The address it was presented from. A bot key that is bound to addresses is active only where one of them is told. */
  IP?: string | undefined;
};

/** What the token stands for. An inactive one says nothing else. */
export type Tokens_IntrospectRes = {
  Active: boolean;
  /** session or bot_key. */
  Type: string;
  /** The session's or key's ID. */
  ID: string;
  UserID: string;
  Bot: string;
  /** The bot's tenant. Of a session, the only tenant in which it holds rights: for other tenants it is inactive. Empty = the session is not limited to a tenant. */
  Tenant: string;
  ExpiresAt?: string;
  /** A bot key holds no more than these of its bot's permissions; empty = all of them. */
  Permissions: string[];
};

/** A person. */
export type User = {
  ID: string;
  Email: string;
  EmailVerified: boolean;
  Name: string;
  GivenName: string;
  FamilyName: string;
  /** The address of a picture. */
  Picture: string;
  /** A language tag such as en or pt-BR. */
  Locale: string;
  /** pending, active or disabled. */
  Status: string;
  /** Whether the user can sign in with a password. Only the user and callers with iam.users.write in a tenant of the user or iam.platform.users.write learn it; for others it is false. */
  HasPassword: boolean;
  /** The user's id in another system. */
  ExternalID: string;
  Metadata: Record<string, string>;
  /** Absent for callers that HasPassword is not shown to. */
  LastLoginAt?: string;
  CreatedAt?: string;
  UpdatedAt?: string;
};

/** What to change in a user. An absent field stays as it is stored; a field that is sent is replaced as sent, so that "", [] and {} clear it. */
export type UserChangeInput = {
  ID: string;
  Name?: string | undefined;
  GivenName?: string | undefined;
  FamilyName?: string | undefined;
  Picture?: string | undefined;
  Locale?: string | undefined;
  /** The person's id in another system; with iam.platform.users.write only. */
  ExternalID?: string | undefined;
  Metadata?: Readonly<Record<string, string>> | undefined;
  /** As it is stored. Another address is refused: Account_ChangeEmail changes it. */
  Email?: string | undefined;
};

/** What a new person is created from. */
export type UserDraftInput = {
  Email: string;
  Name?: string | undefined;
  GivenName?: string | undefined;
  FamilyName?: string | undefined;
  Picture?: string | undefined;
  Locale?: string | undefined;
  /** The person's id in another system. */
  ExternalID?: string | undefined;
  Metadata?: Readonly<Record<string, string>> | undefined;
};

/** One page of user ids. */
export type UserIdPage = {
  Items: string[];
  NextCursor: string;
};

/** One page of users. */
export type UserPage = {
  Items: User[];
  NextCursor: string;
};

/** Whose identity, at which provider, and the account's password. */
export type Users_ConfirmIdentityReq = {
  UserID: string;
  Provider: string;
  /** Required from a session that is limited itself. Empty = the caller's session stands for the credential that opened it. */
  Password?: string | undefined;
};

/** Nothing: the identity is confirmed. */
export type Users_ConfirmIdentityRes = Record<string, never>;

/** The person as it shall be. */
export type Users_CreateReq = {
  User: UserDraftInput;
  Password?: string | undefined;
};

/** The person as stored. */
export type Users_CreateRes = {
  User: User;
};

/** Who shall be deleted. */
export type Users_DeleteReq = {
  UserID: string;
};

/** Nothing: the user is gone. */
export type Users_DeleteRes = Record<string, never>;

/** Who shall be shut out. */
export type Users_DisableReq = {
  UserID: string;
};

/** The user as stored. */
export type Users_DisableRes = {
  User: User;
};

/** Who shall be let in. */
export type Users_EnableReq = {
  UserID: string;
};

/** The user as stored. */
export type Users_EnableRes = {
  User: User;
};

/** The address of a user. */
export type Users_GetByEmailReq = {
  Email: string;
};

/** The user. */
export type Users_GetByEmailRes = {
  User: User;
};

/** Which user. */
export type Users_GetReq = {
  UserID: string;
};

/** The user. */
export type Users_GetRes = {
  User: User;
};

/** A tenant and which page. */
export type Users_ListByTenantReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of users. */
export type Users_ListByTenantRes = {
  Page: UserPage;
};

/** Whose identities, and which page. */
export type Users_ListIdentitiesReq = {
  UserID: string;
  Page?: PageReq | undefined;
};

/** A page of identities. */
export type Users_ListIdentitiesRes = {
  Page: IdentityPage;
};

/** Which page. */
export type Users_ListReq = {
  Page?: PageReq | undefined;
};

/** A page of users. */
export type Users_ListRes = {
  Page: UserPage;
};

/** Whose identity, and at which provider. */
export type Users_RemoveIdentityReq = {
  UserID: string;
  Provider: string;
};

/** Nothing: the user has no identity there. */
export type Users_RemoveIdentityRes = Record<string, never>;

/** The user as it shall be. */
export type Users_UpdateReq = {
  User: UserChangeInput;
};

/** The user as stored. */
export type Users_UpdateRes = {
  User: User;
};

/** An endpoint that receives webhooks. */
export type WebhookEndpoint = {
  /** Set by the service on create, required on update. */
  ID: string;
  /** Absent on create = the bot's tenant or the user's only one. It never changes. */
  Tenant: string;
  Name: string;
  /** The address that receives deliveries: https, at most 2,048 characters. */
  URL: string;
  /** Absent on update = as it was. */
  Active: boolean;
  /** The data key that seals the signing secret. */
  DekID: string;
  /** Always empty in responses. */
  SecretEnc: string;
  /** The event types to receive, "user.*" allowed as in "every event of a user"; empty = all. */
  EventTypes: string[];
  Description: string;
  /** Deliveries a second, 0 = no limit of its own. */
  RateLimit: number;
  /** Why the service made the endpoint inactive; empty = it did not. */
  DisabledReason: string;
  DisabledAt?: string;
  CreatedAt?: string;
  UpdatedAt?: string;
  /** Until then the secret before the present one signs too; absent = there is none. */
  PreviousSecretUntil?: string;
};

/** An endpoint that receives webhooks. */
export type WebhookEndpointInput = {
  /** Set by the service on create, required on update. */
  ID?: string | undefined;
  /** Absent on create = the bot's tenant or the user's only one. It never changes. */
  Tenant?: string | undefined;
  Name: string;
  /** The address that receives deliveries: https, at most 2,048 characters. */
  URL: string;
  /** Absent on update = as it was. */
  Active?: boolean | undefined;
  /** The data key that seals the signing secret. */
  DekID?: string | undefined;
  /** Always empty in responses. */
  SecretEnc?: string | undefined;
  /** The event types to receive, "user.*" allowed as in "every event of a user"; empty = all. */
  EventTypes?: readonly string[] | undefined;
  Description?: string | undefined;
  /** Deliveries a second, 0 = no limit of its own. */
  RateLimit?: number | undefined;
  /** Why the service made the endpoint inactive; empty = it did not. */
  DisabledReason?: string | undefined;
  DisabledAt?: string | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
  /** Until then the secret before the present one signs too; absent = there is none. */
  PreviousSecretUntil?: string | undefined;
};

/** One page of webhook endpoints. */
export type WebhookEndpointPage = {
  Items: WebhookEndpoint[];
  NextCursor: string;
};

/** The endpoint as it shall be. */
export type Webhooks_CreateEndpointReq = {
  Endpoint: WebhookEndpointInput;
};

/** The endpoint and, this once, its signing secret. */
export type Webhooks_CreateEndpointRes = {
  Endpoint: WebhookEndpoint;
  /** The key of the X-Webhook-Signature header. */
  Secret: string;
};

/** Which endpoint. */
export type Webhooks_DeleteEndpointReq = {
  Tenant: string;
  ID: string;
};

/** Nothing: the endpoint is gone. */
export type Webhooks_DeleteEndpointRes = Record<string, never>;

/** A tenant and a type of event. */
export type Webhooks_ExplainReq = {
  Tenant: string;
  Type: string;
};

/** A verdict on each of the tenant's endpoints. */
export type Webhooks_ExplainRes = {
  Endpoints: EndpointVerdict[];
};

/** Which endpoint. */
export type Webhooks_GetEndpointReq = {
  Tenant: string;
  ID: string;
};

/** The endpoint. */
export type Webhooks_GetEndpointRes = {
  Endpoint: WebhookEndpoint;
};

/** Which message of which endpoint. */
export type Webhooks_GetMessageReq = {
  Tenant: string;
  /** The endpoint. */
  ID: string;
  /** The message's identifier: ID of its attempts, and the header webhook-id. */
  MessageID: string;
};

/** The message. */
export type Webhooks_GetMessageRes = {
  Message: DeliveryMessage;
};

/** Which attempts, and which page of them. What is empty does not restrict. */
export type Webhooks_ListAttemptsReq = {
  Tenant: string;
  Endpoint?: string | undefined;
  /** What came of the attempt. */
  Outcome?: string | undefined;
  EventType?: string | undefined;
  /** Attempts that began at this time or later. */
  Since?: string | undefined;
  /** Attempts that began before this time. */
  Until?: string | undefined;
  Page?: PageReq | undefined;
};

/** A page of attempts. */
export type Webhooks_ListAttemptsRes = {
  Page: DeliveryAttemptPage;
};

/** A tenant and which page. */
export type Webhooks_ListEndpointsReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of endpoints. */
export type Webhooks_ListEndpointsRes = {
  Page: WebhookEndpointPage;
};

/** Nothing: the list is the same for all. */
export type Webhooks_ListEventTypesReq = Record<string, never>;

/** All types, by name. */
export type Webhooks_ListEventTypesRes = {
  EventTypes: EventType[];
};

/** Which endpoint, and of which time. */
export type Webhooks_ReplayFailedReq = {
  Tenant: string;
  ID: string;
  /** What happened at this time or later. Absent = all that is kept, 30 days. */
  Since?: string | undefined;
  /** What happened before this time. Absent = now. */
  Until?: string | undefined;
};

/** How many deliveries are on their way again. */
export type Webhooks_ReplayFailedRes = {
  Queued: number;
};

/** Which message of which endpoint. */
export type Webhooks_ResendReq = {
  Tenant: string;
  /** The endpoint. */
  ID: string;
  /** The message's identifier: ID of its attempts, and the header webhook-id. */
  MessageID: string;
};

/** Whether the message is on its way again. */
export type Webhooks_ResendRes = {
  /** false = it was on its way already. */
  Queued: boolean;
};

/** Which endpoint, and for how long the secret that it has shall go on signing. */
export type Webhooks_RotateSecretReq = {
  Tenant: string;
  ID: string;
  /** Seconds for which the previous secret signs too: absent = 86400, a day; 0 = it ends at once; at most 604800, a week. */
  GraceSeconds?: number | undefined;
};

/** The endpoint and, this once, its new signing secret. */
export type Webhooks_RotateSecretRes = {
  Endpoint: WebhookEndpoint;
  /** The key of the X-Webhook-Signature header. */
  Secret: string;
};

/** Which endpoint. */
export type Webhooks_SendTestReq = {
  Tenant: string;
  ID: string;
};

/** What came of the attempt. Nothing is sent again, so it is never retry. */
export type Webhooks_SendTestRes = {
  Task: TaskResult;
};

/** The endpoint to change. An absent field stays as it is stored; a field that is sent is replaced as sent, so that "", [] and {} clear it. ID, Name and URL are required. */
export type Webhooks_UpdateEndpointReq = {
  Endpoint: WebhookEndpointInput;
};

/** The endpoint as it is stored. */
export type Webhooks_UpdateEndpointRes = {
  Endpoint: WebhookEndpoint;
};
