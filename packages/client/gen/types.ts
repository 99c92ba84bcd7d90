// Generated from the proto files by `npm run generate`. Do not edit.

/** The request and response of each operation. */
export interface Operations {
  /** Checks whether a subject holds one permission, or each of several. */
  Access_Check: { request: Access_CheckReq; response: Access_CheckRes };
  /** Explains a decision: lists every path by which a subject holds a permission, or the reasons why it does not hold it. */
  Access_Explain: { request: Access_ExplainReq; response: Access_ExplainRes };
  /** Lists the permissions that a subject holds in a tenant or on the platform, as granted: an entry may end in "*". */
  Access_ListPermissions: { request: Access_ListPermissionsReq; response: Access_ListPermissionsRes };
  /** Lists the users and bots that hold a permission in a tenant, sorted by ID: those for which Check answers true. The tenant's requirements for sessions do not count. */
  Access_ListSubjects: { request: Access_ListSubjectsReq; response: Access_ListSubjectsRes };
  /** Previews changes: lists the permissions that users and bots would gain or lose. Nothing is changed. */
  Access_Plan: { request: Access_PlanReq; response: Access_PlanRes };
  /** Withdraws the caller's consent to an app, and ends what the app got in the caller's name: its codes, refresh tokens and sign-ins. Nothing changes if the app has no access. */
  AccountApps_Delete: { request: AccountApps_DeleteReq; response: AccountApps_DeleteRes };
  /** Lists the apps that the caller is signed in to, or has consented to. */
  AccountApps_List: { request: AccountApps_ListReq; response: AccountApps_ListRes };
  /** Returns the options with which the sign-in page asks the browser for a passkey (navigator.credentials.get). They name no account: the user's device offers its passkeys. */
  Account_BeginPasskeyLogin: { request: Account_BeginPasskeyLoginReq; response: Account_BeginPasskeyLoginRes };
  /** Asks the caller for a second factor in the session of the call, without a new sign-in. Fails with failed_precondition if the user has none. A new challenge voids the session's earlier one. */
  Account_BeginStepUp: { request: Account_BeginStepUpReq; response: Account_BeginStepUpRes };
  /** Mails a token to a new address. Account_Verify with that token makes it the account's address. The response is the same if the address belongs to another account. */
  Account_ChangeEmail: { request: Account_ChangeEmailReq; response: Account_ChangeEmailRes };
  /** Changes the caller's password, and ends all other sessions of the account. */
  Account_ChangePassword: { request: Account_ChangePasswordReq; response: Account_ChangePasswordRes };
  /** Completes a sign-in with a second factor: a code of an authenticator app, a passkey or a recovery code. A challenge works once, for ten minutes, for five tries and in the network that asked for it. */
  Account_CompleteLogin: { request: Account_CompleteLoginReq; response: Account_CompleteLoginRes };
  /** Adds the factor to the session: its assurance rises, and its sign-in counts as recent. A challenge works once, for ten minutes, for five tries, and in the session and network that asked for it. Other sessions of the user do not change. */
  Account_CompleteStepUp: { request: Account_CompleteStepUpReq; response: Account_CompleteStepUpRes };
  /** Exchanges the code that a sign-in passed to an application for a session. A code works once and for one minute. In a browser it works only for pages of the origin that it was sent to. */
  Account_ExchangeCode: { request: Account_ExchangeCodeReq; response: Account_ExchangeCodeRes };
  /** Signs in with a passkey. The options work once and for ten minutes. If the domain of the address requires SSO, no passkey is accepted. */
  Account_FinishPasskeyLogin: { request: Account_FinishPasskeyLoginReq; response: Account_FinishPasskeyLoginRes };
  /** Returns the caller's own account and the tenants it belongs to. */
  Account_Get: { request: Account_GetReq; response: Account_GetRes };
  /** Returns the address that takes the signed-in user on to an application, with a code for Account_ExchangeCode. Only the sign-in page and callers outside of browsers may call it. */
  Account_IssueCode: { request: Account_IssueCodeReq; response: Account_IssueCodeRes };
  /** Links the identity of a social sign-in whose address belongs to the caller's account. The cookie of that sign-in says which identity. The caller must have signed in after it. */
  Account_LinkIdentity: { request: Account_LinkIdentityReq; response: Account_LinkIdentityRes };
  /** Signs in with address and password. The token is shown only once. If the domain of the address requires SSO, no password is accepted without an SsoRecoveryCode. A user with a second factor gets a challenge instead of a session: see Account_CompleteLogin. */
  Account_Login: { request: Account_LoginReq; response: Account_LoginRes };
  /** Signs in with a mailed code. It works once, for ten minutes and five tries, together with the token of the request that it was mailed for. */
  Account_LoginWithCode: { request: Account_LoginWithCodeReq; response: Account_LoginWithCodeRes };
  /** Ends the caller's session. */
  Account_Logout: { request: Account_LogoutReq; response: Account_LogoutRes };
  /** Registers an account and mails a verification token. The response is the same if the address has an account already: that address gets a notice instead. */
  Account_Register: { request: Account_RegisterReq; response: Account_RegisterRes };
  /** Mails a code to sign in with, if the address has an account. The response is the same if it has none. If the domain of the address requires SSO, no code is mailed. */
  Account_RequestCode: { request: Account_RequestCodeReq; response: Account_RequestCodeRes };
  /** Mails a password reset token if the address has an account. Always succeeds. */
  Account_RequestPasswordReset: { request: Account_RequestPasswordResetReq; response: Account_RequestPasswordResetRes };
  /** Mails the verification token of the address's latest registration again. Always succeeds. */
  Account_ResendVerification: { request: Account_ResendVerificationReq; response: Account_ResendVerificationRes };
  /** Sets a new password with the mailed token, and ends all sessions of the account. */
  Account_ResetPassword: { request: Account_ResetPasswordReq; response: Account_ResetPasswordRes };
  /** Returns the ways of signing in that this installation offers. */
  Account_SignInOptions: { request: Account_SignInOptionsReq; response: Account_SignInOptionsRes };
  /** Updates the caller's profile. Absent fields keep their values; Account_ChangeEmail changes the address. */
  Account_Update: { request: Account_UpdateReq; response: Account_UpdateRes };
  /** Verifies the address of a registration with the mailed token. */
  Account_Verify: { request: Account_VerifyReq; response: Account_VerifyRes };
  /** Lists the attempts of the last 30 days to call the BackchannelLogoutURI of the tenant's apps, or of the platform's, newest first. */
  AppLogouts_ListAttempts: { request: AppLogouts_ListAttemptsReq; response: AppLogouts_ListAttemptsRes };
  /** Deletes an app. It gets no tokens from then on. */
  Apps_Delete: { request: Apps_DeleteReq; response: Apps_DeleteRes };
  /** Returns one app. */
  Apps_Get: { request: Apps_GetReq; response: Apps_GetRes };
  /** Lists the apps of a tenant, or of the platform. */
  Apps_List: { request: Apps_ListReq; response: Apps_ListRes };
  /** Locks an app: makes it inactive, ends its sign-ins, codes and refresh tokens, and returns a receipt of who held its rights. Apps_Save with Active restores the app, and not its sign-ins. Locking a locked app that was not changed since returns the receipt of that lock. */
  Apps_Lock: { request: Apps_LockReq; response: Apps_LockRes };
  /** Replaces the client secret of an app. The new secret is in the response and is never shown again. Fails with failed_precondition if the app authenticates without a secret. */
  Apps_RotateSecret: { request: Apps_RotateSecretReq; response: Apps_RotateSecretRes };
  /** Creates an app, or updates the one with this ID. Without a Tenant it is an app of the platform, for users of all tenants. A tenant and the platform have a maximum number of apps (failed_precondition). */
  Apps_Save: { request: Apps_SaveReq; response: Apps_SaveRes };
  /** Returns a signed anchor of the current end of a tenant's hash chain. Keep it where the database administrators cannot change it: Audit_Verify uses it to prove later that no entry before it was changed or removed. */
  Audit_Anchor: { request: Audit_AnchorReq; response: Audit_AnchorRes };
  /** Lists the audit entries of a tenant, newest first. A call that combines several filters looks at a limited number of entries: a page may have fewer entries than its Limit, or none, while there is a NextCursor. */
  Audit_List: { request: Audit_ListReq; response: Audit_ListRes };
  /** Lists the audit entries of a user's own actions, newest first. */
  Audit_ListByUser: { request: Audit_ListByUserReq; response: Audit_ListByUserRes };
  /** Verifies that the audit entries of a tenant are unchanged: recomputes their hashes, at most 20,000 entries a call. */
  Audit_Verify: { request: Audit_VerifyReq; response: Audit_VerifyRes };
  /** Grants a role to a bot. If the grant exists, only its expiry changes. Fails with not_found if the bot or role does not exist. */
  BotGrants_Add: { request: BotGrants_AddReq; response: BotGrants_AddRes };
  /** Lists the grants to bots in a tenant. */
  BotGrants_ListByTenant: { request: BotGrants_ListByTenantReq; response: BotGrants_ListByTenantRes };
  /** Revokes the grant with this Tenant (or Platform), Bot, Role and Resource. */
  BotGrants_Remove: { request: BotGrants_RemoveReq; response: BotGrants_RemoveRes };
  /** Creates a key. Its secret is in the response and is never shown again. */
  BotKeys_Create: { request: BotKeys_CreateReq; response: BotKeys_CreateRes };
  /** Returns one key, without its secret. */
  BotKeys_Get: { request: BotKeys_GetReq; response: BotKeys_GetRes };
  /** Lists the keys of a bot, including expired and revoked ones. */
  BotKeys_List: { request: BotKeys_ListReq; response: BotKeys_ListRes };
  /** Creates the successor of a key, with the same bot, name, permissions and networks. The old key works for at most 24 more hours. A bot may rotate only its own keys. If the maker's right to grant the key's permissions ends, so do the key and those that its bot makes with it. Fails with failed_precondition for a key that has ended or was rotated already. */
  BotKeys_Rotate: { request: BotKeys_RotateReq; response: BotKeys_RotateRes };
  /** Changes a key's expiry. Now or a time in the past revokes the key. Fails with failed_precondition for a key that has expired, was revoked, or was rotated and would live longer. An extension takes the right to grant the key's permissions, until the new expiry. */
  BotKeys_SetExpiration: { request: BotKeys_SetExpirationReq; response: BotKeys_SetExpirationRes };
  /** Deletes a trust. */
  BotTrusts_Delete: { request: BotTrusts_DeleteReq; response: BotTrusts_DeleteRes };
  /** Returns one trust. */
  BotTrusts_Get: { request: BotTrusts_GetReq; response: BotTrusts_GetRes };
  /** Lists the trusts of a bot. */
  BotTrusts_List: { request: BotTrusts_ListReq; response: BotTrusts_ListRes };
  /** Creates a trust, or updates the one with this ID. A bot has a maximum number of trusts (failed_precondition). A caller whose right to grant the bot's permissions ends cannot save it. */
  BotTrusts_Save: { request: BotTrusts_SaveReq; response: BotTrusts_SaveRes };
  /** Deletes a bot with its keys and grants. */
  Bots_Delete: { request: Bots_DeleteReq; response: Bots_DeleteRes };
  /** Returns one bot. */
  Bots_Get: { request: Bots_GetReq; response: Bots_GetRes };
  /** Counts the bots of a tenant, and their keys that expire within 30 days. */
  Bots_GetCounts: { request: Bots_GetCountsReq; response: Bots_GetCountsRes };
  /** Lists the bots of a tenant. A call that filters looks at a limited number of bots: a page may have fewer than its Limit, or none, while there is a NextCursor. */
  Bots_List: { request: Bots_ListReq; response: Bots_ListRes };
  /** Locks a bot: makes it inactive and returns a receipt of who held its rights. Its keys and tokens are refused from the reply on. Bots_Save with Active restores it. Locking a locked bot that was not changed since returns the receipt of that lock. As for Delete, the caller must be able to grant what the bot holds. */
  Bots_Lock: { request: Bots_LockReq; response: Bots_LockRes };
  /** Creates a bot, or updates the one with this ID. A tenant has a maximum number of bots (failed_precondition). */
  Bots_Save: { request: Bots_SaveReq; response: Bots_SaveRes };
  /** Creates an endpoint. Its URL is encrypted and never shown again. A tenant has a maximum number of endpoints (failed_precondition). */
  Chat_CreateEndpoint: { request: Chat_CreateEndpointReq; response: Chat_CreateEndpointRes };
  /** Deletes an endpoint. Its pending deliveries are dropped. */
  Chat_DeleteEndpoint: { request: Chat_DeleteEndpointReq; response: Chat_DeleteEndpointRes };
  /** Returns one endpoint. */
  Chat_GetEndpoint: { request: Chat_GetEndpointReq; response: Chat_GetEndpointRes };
  /** Returns a message that was sent to an endpoint, with its body and attempts. Bodies are kept for 7 days by default. */
  Chat_GetMessage: { request: Chat_GetMessageReq; response: Chat_GetMessageRes };
  /** Counts the tenant's endpoints, and their delivery attempts of the last 30 days. */
  Chat_GetStats: { request: Chat_GetStatsReq; response: Chat_GetStatsRes };
  /** Lists the delivery attempts of the last 30 days to the tenant's endpoints, newest first, without bodies. */
  Chat_ListAttempts: { request: Chat_ListAttemptsReq; response: Chat_ListAttemptsRes };
  /** Lists the endpoints of a tenant. */
  Chat_ListEndpoints: { request: Chat_ListEndpointsReq; response: Chat_ListEndpointsRes };
  /** Sends the failed deliveries of an endpoint again, each with a full set of attempts. Fails with failed_precondition if the endpoint is inactive. */
  Chat_ReplayFailed: { request: Chat_ReplayFailedReq; response: Chat_ReplayFailedRes };
  /** Sends one message again to its endpoint, with the same identifier and body and a full set of attempts. Fails with failed_precondition if the endpoint is inactive. */
  Chat_Resend: { request: Chat_ResendReq; response: Chat_ResendRes };
  /** Sends an endpoint.ping event to one endpoint at once, without retries. The endpoint may be inactive, so that it can be tested before it is activated. At most ten tests a minute for each endpoint, and 60 for each tenant (resource_exhausted). */
  Chat_SendTest: { request: Chat_SendTestReq; response: Chat_SendTestRes };
  /** Updates an endpoint. Name is required; an empty URL keeps the stored one. */
  Chat_UpdateEndpoint: { request: Chat_UpdateEndpointReq; response: Chat_UpdateEndpointRes };
  /** Claims a domain. The response contains the DNS TXT record that proves ownership within seven days. The service looks for it by itself, in growing intervals. Fails with already_exists if the tenant has the domain already. */
  Domain_Create: { request: Domain_CreateReq; response: Domain_CreateRes };
  /** Deletes the claim to a domain. */
  Domain_Delete: { request: Domain_DeleteReq; response: Domain_DeleteRes };
  /** Returns one domain. */
  Domain_Get: { request: Domain_GetReq; response: Domain_GetRes };
  /** Makes the caller a member of a suggested tenant, with the domain's DefaultRole. */
  Domain_Join: { request: Domain_JoinReq; response: Domain_JoinRes };
  /** Lists the domains of a tenant. */
  Domain_List: { request: Domain_ListReq; response: Domain_ListRes };
  /** Lists the tenants that the caller may join because of the domain of its verified address: those with Capture suggest, or join if the caller's account is older than the claim. */
  Domain_ListSuggestions: { request: Domain_ListSuggestionsReq; response: Domain_ListSuggestionsRes };
  /** Updates the settings of a domain. Absent fields keep their values. */
  Domain_Update: { request: Domain_UpdateReq; response: Domain_UpdateRes };
  /** Looks up the TXT record now, at most once a minute. If it is missing, the domain stays pending, and FailureReason gives the reason. */
  Domain_Verify: { request: Domain_VerifyReq; response: Domain_VerifyRes };
  /** Publishes an application's event to the tenant's endpoints that subscribe to its type. It is delivered like every other event: in the same envelope, signed, with retries, to webhooks and to chat. */
  Events_Publish: { request: Events_PublishReq; response: Events_PublishRes };
  /** Publishes up to 1000 events of an application to the tenant's endpoints, each like Publish: an event is checked, counted against the tenant's limit and published by itself. The response has one result for each event, so that one that is refused keeps no other out. Send refused events again with another Idempotency-Key: the first one has the results of the whole call. If the limit allows no event and there is no other result, the call fails with resource_exhausted. The whole body is at most 1 MiB. */
  Events_PublishBatch: { request: Events_PublishBatchReq; response: Events_PublishBatchRes };
  /** Starts to add an authenticator app. Its secret is shown only here. The factor counts once Factors_ConfirmTotp has received a code of the app. A new start voids an unconfirmed one. */
  Factors_BeginTotp: { request: Factors_BeginTotpReq; response: Factors_BeginTotpRes };
  /** Adds the authenticator app, if the code is right. Mails the user. */
  Factors_ConfirmTotp: { request: Factors_ConfirmTotpReq; response: Factors_ConfirmTotpRes };
  /** Lists all factors of the caller. */
  Factors_List: { request: Factors_ListReq; response: Factors_ListRes };
  /** Removes a factor of the caller and mails the user. Removing the last one also removes the recovery codes, and is refused while a tenant of the caller requires a factor. Nothing changes if the caller has no such factor. */
  Factors_Remove: { request: Factors_RemoveReq; response: Factors_RemoveRes };
  /** Grants a role to a user. If the grant exists, only its expiry changes. Fails with not_found if the role does not exist. */
  Grants_Add: { request: Grants_AddReq; response: Grants_AddRes };
  /** Lists a user's grants in all tenants whose grants the caller may read. */
  Grants_List: { request: Grants_ListReq; response: Grants_ListRes };
  /** Lists the grants to users in a tenant. */
  Grants_ListByTenant: { request: Grants_ListByTenantReq; response: Grants_ListByTenantRes };
  /** Revokes the grant with this Tenant (or Platform), UserID, Role and Resource. The last owner of a tenant cannot be removed (failed_precondition). */
  Grants_Remove: { request: Grants_RemoveReq; response: Grants_RemoveRes };
  /** Grants a role to a group. If the grant exists, only its expiry changes. Fails with not_found if the group or role does not exist. */
  GroupGrants_Add: { request: GroupGrants_AddReq; response: GroupGrants_AddRes };
  /** Lists the grants to groups in a tenant. */
  GroupGrants_ListByTenant: { request: GroupGrants_ListByTenantReq; response: GroupGrants_ListByTenantRes };
  /** Revokes the grant with this Tenant, Group, Role and Resource. */
  GroupGrants_Remove: { request: GroupGrants_RemoveReq; response: GroupGrants_RemoveRes };
  /** Adds a member of the tenant to a group. If the user is in the group already, nothing changes. Fails with not_found if the group or the tenant member does not exist. */
  Groups_AddMember: { request: Groups_AddMemberReq; response: Groups_AddMemberRes };
  /** Deletes a group with its memberships and grants. The groups below it remain. */
  Groups_Delete: { request: Groups_DeleteReq; response: Groups_DeleteRes };
  /** Returns one group, or null if there is no group with this path. */
  Groups_Get: { request: Groups_GetReq; response: Groups_GetRes };
  /** Lists the groups of a tenant. A call that filters looks at a limited number of groups: a page may have fewer than its Limit, or none, while there is a NextCursor. */
  Groups_List: { request: Groups_ListReq; response: Groups_ListRes };
  /** Lists the groups of a tenant, the same as Groups_List. */
  Groups_ListByTenant: { request: Groups_ListByTenantReq; response: Groups_ListByTenantRes };
  /** Lists the groups of a user in all tenants whose groups the caller may read. */
  Groups_ListMemberGroups: { request: Groups_ListMemberGroupsReq; response: Groups_ListMemberGroupsRes };
  /** Lists the ids of the users in a group. A call that searches looks at a limited number of users: a page may have fewer than its Limit, or none, while there is a NextCursor. */
  Groups_ListMembers: { request: Groups_ListMembersReq; response: Groups_ListMembersRes };
  /** Removes a user from a group. */
  Groups_RemoveMember: { request: Groups_RemoveMemberReq; response: Groups_RemoveMemberRes };
  /** Creates the group with this tenant and path, or updates it. */
  Groups_Save: { request: Groups_SaveReq; response: Groups_SaveRes };
  /** Gives a tenant a new data key, or all tenants in the background. The records of the previous key are re-encrypted while the service runs. */
  Keys_Rotate: { request: Keys_RotateReq; response: Keys_RotateRes };
  /** Returns the key-encryption keys, how many data keys each of them wraps, and the pending work of a rotation. */
  Keys_Status: { request: Keys_StatusReq; response: Keys_StatusRes };
  /** Returns a receipt with its present rows. With a Tenant, the receipt of a bot or app of the tenant is whole. That of a user has the tenant's rows only, without the reason and the operator; the result is not_found unless the user is a member of the tenant or the receipt has rows of it. A receipt is kept for 400 days, and that of a user or bot for as long as it is locked. */
  LockReceipts_Get: { request: LockReceipts_GetReq; response: LockReceipts_GetRes };
  /** Allows mail to an address again, for example after its mailbox was restored. */
  Mail_DeleteSuppression: { request: Mail_DeleteSuppressionReq; response: Mail_DeleteSuppressionRes };
  /** Returns why and until when an address gets no mail. Fails with not_found if the address is not suppressed. */
  Mail_GetSuppression: { request: Mail_GetSuppressionReq; response: Mail_GetSuppressionRes };
  /** Makes the caller the first operator, with the role platform-owner on the platform. The token is in the link that the local start and the command deploy/operator-link.ts print. It works once, for one hour, and only while no user holds a role on the platform (failed_precondition). */
  Operators_Claim: { request: Operators_ClaimReq; response: Operators_ClaimRes };
  /** Returns the options with which a page of this service asks the browser for a new passkey (navigator.credentials.create). The sign-in must be at most 15 minutes old. */
  Passkeys_BeginRegistration: { request: Passkeys_BeginRegistrationReq; response: Passkeys_BeginRegistrationRes };
  /** Deletes one of the caller's passkeys, and mails the user a notice. Nothing changes if it is deleted already. Sessions that it opened go on. The sign-in must be at most 15 minutes old. */
  Passkeys_Delete: { request: Passkeys_DeleteReq; response: Passkeys_DeleteRes };
  /** Stores the passkey that the browser has made, and mails the user a notice. The options work once, for ten minutes and in the session that asked for them. The sign-in must be at most 15 minutes old. */
  Passkeys_FinishRegistration: { request: Passkeys_FinishRegistrationReq; response: Passkeys_FinishRegistrationRes };
  /** Lists the caller's passkeys. */
  Passkeys_List: { request: Passkeys_ListReq; response: Passkeys_ListRes };
  /** Changes the name of one of the caller's passkeys. */
  Passkeys_Rename: { request: Passkeys_RenameReq; response: Passkeys_RenameRes };
  /** Ends the session. The link opens another one. */
  Portal_Close: { request: Portal_CloseReq; response: Portal_CloseRes };
  /** Explains what became of an event at the endpoint: its attempts, and what the next one waits for. not_found if the endpoint does not get the event. */
  Portal_ExplainDelivery: { request: Portal_ExplainDeliveryReq; response: Portal_ExplainDeliveryRes };
  /** Returns the endpoint and what the link can do. */
  Portal_Get: { request: Portal_GetReq; response: Portal_GetRes };
  /** Returns a message that was sent to the endpoint, with its body and attempts. */
  Portal_GetMessage: { request: Portal_GetMessageReq; response: Portal_GetMessageRes };
  /** Lists the delivery attempts of the last 30 days to the endpoint, newest first. */
  Portal_ListAttempts: { request: Portal_ListAttemptsReq; response: Portal_ListAttemptsRes };
  /** Exchanges the token of a link for the token of a session, which lasts an hour. A link has one session at a time: this ends the earlier one. */
  Portal_Open: { request: Portal_OpenReq; response: Portal_OpenRes };
  /** Sends the failed deliveries of the endpoint again, each with a full set of attempts. Fails with failed_precondition if the endpoint is inactive. */
  Portal_ReplayFailed: { request: Portal_ReplayFailedReq; response: Portal_ReplayFailedRes };
  /** Sends one message again, with the same identifier and body and a full set of attempts. Fails with failed_precondition if the endpoint is inactive. */
  Portal_Resend: { request: Portal_ResendReq; response: Portal_ResendRes };
  /** Replaces the signing secret of the endpoint. The new secret is in the response and is never shown again. The previous secret also signs until the grace period ends. */
  Portal_RotateSecret: { request: Portal_RotateSecretReq; response: Portal_RotateSecretRes };
  /** Sends an endpoint.ping event to the endpoint at once, without retries. */
  Portal_SendTest: { request: Portal_SendTestReq; response: Portal_SendTestRes };
  /** Returns the lanes of the queue and the endpoints that fail, of all tenants. */
  Queues_Status: { request: Queues_StatusReq; response: Queues_StatusRes };
  /** Replaces the caller's recovery codes and mails the user. The codes are shown only here. Needs a factor, and a sign-in within the last 15 minutes. */
  RecoveryCodes_Generate: { request: RecoveryCodes_GenerateReq; response: RecoveryCodes_GenerateRes };
  /** Deletes a role. Fails with failed_precondition while the role is granted or is the tenant's default role. */
  Roles_Delete: { request: Roles_DeleteReq; response: Roles_DeleteRes };
  /** Returns one role, or null if there is no role with this slug. */
  Roles_Get: { request: Roles_GetReq; response: Roles_GetRes };
  /** Lists the roles of a tenant, including the built-in ones. */
  Roles_List: { request: Roles_ListReq; response: Roles_ListRes };
  /** Lists the roles of a tenant, the same as Roles_List. */
  Roles_ListByTenant: { request: Roles_ListByTenantReq; response: Roles_ListByTenantRes };
  /** Lists Bailiwick's own permissions that a role of the tenant (or of the platform) can hold, each with a description and the operations that require it. An application's permissions are not listed: a role can name them freely. */
  Roles_ListPermissions: { request: Roles_ListPermissionsReq; response: Roles_ListPermissionsRes };
  /** Creates the role with this tenant and slug, or updates it. A caller can put only permissions into a role that it holds itself. */
  Roles_Save: { request: Roles_SaveReq; response: Roles_SaveRes };
  /** Lists the parts of the directory's requests that are not stored: attributes that Bailiwick does not have, and values that were refused while a person was deactivated. The newest 500 are kept. */
  Scim_ListNotices: { request: Scim_ListNoticesReq; response: Scim_ListNoticesRes };
  /** Lists the caller's sessions. */
  Sessions_List: { request: Sessions_ListReq; response: Sessions_ListRes };
  /** Ends one of the caller's sessions. Nothing changes if it has ended already. */
  Sessions_Revoke: { request: Sessions_RevokeReq; response: Sessions_RevokeRes };
  /** Ends all of the caller's sessions, including the session of this call. */
  Sessions_RevokeAll: { request: Sessions_RevokeAllReq; response: Sessions_RevokeAllRes };
  /** Returns where users with this address sign in. The response depends on the domain only, not on whether an account exists. */
  Sso_Check: { request: Sso_CheckReq; response: Sso_CheckRes };
  /** Lets a pending certificate of a SAML provider count at once. This changes what identifies people, as Sso_SaveProvider with the certificate in IdpCertificates does: by a caller who may not grant everything in the tenant it leaves the provider unconfirmed. */
  Sso_ConfirmCertificate: { request: Sso_ConfirmCertificateReq; response: Sso_ConfirmCertificateRes };
  /** Confirms a provider as it is stored. A provider opens sessions for people, so a change of what identifies them (issuer, client, addresses, certificates, attribute map) by a caller who may not grant everything in the tenant stays unconfirmed: the sessions that it opens hold rights in the tenant only, and at most those that this caller may grant. A provider of the platform opens none until it is confirmed. The caller must be able to grant everything there, without an end. Sessions that were opened before the confirmation have to sign in again. */
  Sso_ConfirmProvider: { request: Sso_ConfirmProviderReq; response: Sso_ConfirmProviderRes };
  /** Replaces a tenant's recovery codes. Each of them lifts the requirement once, as Sso_LiftRequirement does, when an owner signs in with a password and the due second factor (Account_Login). The codes are shown only here. All owners get a mail. */
  Sso_CreateRecoveryCodes: { request: Sso_CreateRecoveryCodesReq; response: Sso_CreateRecoveryCodesRes };
  /** Deletes a provider, removes its links to users, and ends the sessions that it opened. Fails with failed_precondition for the last active provider while the tenant or a domain requires SSO. */
  Sso_DeleteProvider: { request: Sso_DeleteProviderReq; response: Sso_DeleteProviderRes };
  /** Returns one provider. */
  Sso_GetProvider: { request: Sso_GetProviderReq; response: Sso_GetProviderRes };
  /** Returns whether a tenant requires SSO, until when its owners are exempt, and how many recovery codes are left. */
  Sso_GetRequirement: { request: Sso_GetRequirementReq; response: Sso_GetRequirementRes };
  /** Exempts a tenant's owners from the SSO requirement for up to an hour, so that they can sign in with their passwords while the provider is broken. All owners get a mail. */
  Sso_LiftRequirement: { request: Sso_LiftRequirementReq; response: Sso_LiftRequirementRes };
  /** Lists the providers of a tenant, or of the platform. */
  Sso_ListProviders: { request: Sso_ListProvidersReq; response: Sso_ListProvidersRes };
  /** Lists the buttons of the sign-in page: the active providers of the platform. The response is the same for every caller, and may be up to five seconds old. */
  Sso_ListSocialProviders: { request: Sso_ListSocialProvidersReq; response: Sso_ListSocialProvidersRes };
  /** Reserves the ID of a provider that is to be saved, and returns the addresses to register there first. Sso_SaveProvider with this ID then creates it. With an ID it returns the addresses of an earlier reservation. A reservation ends after 30 days. At most 20 are kept, and a new one replaces the oldest. Fails with LIMIT_REACHED if all 20 are younger than a day. */
  Sso_ReserveProvider: { request: Sso_ReserveProviderReq; response: Sso_ReserveProviderRes };
  /** Creates an identity provider, or updates the one with this ID. An ID from Sso_ReserveProvider creates one, too. Without a Tenant it is a provider of the platform: a button of the sign-in page. A tenant and the platform have a maximum number of providers (failed_precondition). */
  Sso_SaveProvider: { request: Sso_SaveProviderReq; response: Sso_SaveProviderRes };
  /** Tests a provider as a sign-in uses it: its availability, its keys and certificates, and the addresses to register there. No user is signed in. */
  Sso_TestProvider: { request: Sso_TestProviderReq; response: Sso_TestProviderRes };
  /** Ends the support session of the operator who calls. Nothing changes if it has ended already. */
  Support_End: { request: Support_EndReq; response: Support_EndRes };
  /** Returns the support session of the operator who calls, and its user. */
  Support_Get: { request: Support_GetReq; response: Support_GetRes };
  /** Opens a support session: a session of the user for the operator who calls. The user gets a mail with the operator, the reason and the end. Every audit entry and event of the session names the operator beside the user. A later start ends the operator's earlier support session. Requires a sign-in, or a step-up, within the last 15 minutes, with a second factor if the operator has one. */
  Support_Start: { request: Support_StartReq; response: Support_StartRes };
  /** Accepts an invitation: makes the caller a member with the invitation's roles and groups. */
  TenantInvitations_Accept: { request: TenantInvitations_AcceptReq; response: TenantInvitations_AcceptRes };
  /** Invites an address and mails it a token. A new invitation of the same address invalidates the previous token. Fails with already_exists if the address belongs to a member. */
  TenantInvitations_Create: { request: TenantInvitations_CreateReq; response: TenantInvitations_CreateRes };
  /** Declines an invitation. */
  TenantInvitations_Decline: { request: TenantInvitations_DeclineReq; response: TenantInvitations_DeclineRes };
  /** Revokes the pending invitation of an address. */
  TenantInvitations_Delete: { request: TenantInvitations_DeleteReq; response: TenantInvitations_DeleteRes };
  /** Returns an invitation: who invites to which tenant, and with which roles. */
  TenantInvitations_Get: { request: TenantInvitations_GetReq; response: TenantInvitations_GetRes };
  /** Lists the invitations of a tenant, newest first unless Sort says otherwise. A call that filters looks at a limited number of invitations: a page may have fewer than its Limit, or none, while there is a NextCursor. */
  TenantInvitations_List: { request: TenantInvitations_ListReq; response: TenantInvitations_ListRes };
  /** Lists the invitations of an address to all tenants, newest first. */
  TenantInvitations_ListByEmail: { request: TenantInvitations_ListByEmailReq; response: TenantInvitations_ListByEmailRes };
  /** Accepts the caller's own pending membership, or the ownership that others have given to the caller: from then on the caller counts as an owner who must not be the last one to leave. Accepting again changes nothing. */
  TenantMembers_Accept: { request: TenantMembers_AcceptReq; response: TenantMembers_AcceptRes };
  /** Adds a user to a tenant. The membership is pending until the user accepts it with TenantMembers_Accept: until then it gives no rights and reveals nothing about the user. It is active at once if the caller holds iam.platform.users.write, or if the user's verified address is in a verified domain of the tenant. Nothing changes for a user who is a member, was added already, or has declined within the last 30 days. */
  TenantMembers_Add: { request: TenantMembers_AddReq; response: TenantMembers_AddRes };
  /** Declines the caller's own pending membership, or the ownership that others have given and the caller has not accepted: it ends, and the membership stays. Declining again changes nothing. */
  TenantMembers_Decline: { request: TenantMembers_DeclineReq; response: TenantMembers_DeclineRes };
  /** Disables a member: the user has no rights in the tenant until the member is enabled again. Grants and group memberships remain. Only an owner can disable an owner, and the last owner cannot be disabled (failed_precondition). */
  TenantMembers_Disable: { request: TenantMembers_DisableReq; response: TenantMembers_DisableRes };
  /** Enables a disabled member. The caller must be able to grant the member's permissions. */
  TenantMembers_Enable: { request: TenantMembers_EnableReq; response: TenantMembers_EnableRes };
  /** Lists the members of a tenant, and the users who were added and have not accepted yet (Status pending). Only the ID of a pending user is known. A call that filters looks at a limited number of members: a page may have fewer than its Limit, or none, while there is a NextCursor. */
  TenantMembers_List: { request: TenantMembers_ListReq; response: TenantMembers_ListRes };
  /** Removes a member with its grants and group memberships, or withdraws a pending membership. A user can always leave, even a tenant that is suspended or requires SSO, and even with a disabled membership. The last owner cannot be removed (failed_precondition). */
  TenantMembers_Remove: { request: TenantMembers_RemoveReq; response: TenantMembers_RemoveRes };
  /** Creates a tenant. Its owner is the caller or, with iam.platform.tenants.write, the user in OwnerID. Fails with already_exists if the slug is taken. */
  Tenants_Create: { request: Tenants_CreateReq; response: Tenants_CreateRes };
  /** Deletes a tenant: access is denied as soon as the call returns. Its records and data keys are destroyed after a grace period, 30 days by default. Deleting it again changes nothing. */
  Tenants_Delete: { request: Tenants_DeleteReq; response: Tenants_DeleteRes };
  /** Returns one tenant. */
  Tenants_Get: { request: Tenants_GetReq; response: Tenants_GetRes };
  /** Returns how the pages and mails about a tenant look. The response is the same for every caller; it is empty for a tenant without branding, for one that is not active and for one that does not exist. */
  Tenants_GetBranding: { request: Tenants_GetBrandingReq; response: Tenants_GetBrandingRes };
  /** Counts the records of a tenant, and what happened in it on each of the last 30 days. A figure is absent, or its list empty, if the caller lacks the permission for it. */
  Tenants_GetCounts: { request: Tenants_GetCountsReq; response: Tenants_GetCountsRes };
  /** Counts the tenants of the platform, and what happened on it on each of the last 30 days. */
  Tenants_GetTotals: { request: Tenants_GetTotalsReq; response: Tenants_GetTotalsRes };
  /** Lists all tenants, in order of their IDs. A page of a selection may have fewer items than its limit, or none, while there is a cursor: go on until the cursor is empty. */
  Tenants_List: { request: Tenants_ListReq; response: Tenants_ListRes };
  /** Lists the active tenants in which the caller has a membership, each with that membership. If it is pending or disabled, only the tenant's ID, Name and Slug are shown. */
  Tenants_ListMine: { request: Tenants_ListMineReq; response: Tenants_ListMineRes };
  /** Restores a deleted tenant with all its records, within the grace period. */
  Tenants_Restore: { request: Tenants_RestoreReq; response: Tenants_RestoreRes };
  /** Resumes a suspended tenant. */
  Tenants_Resume: { request: Tenants_ResumeReq; response: Tenants_ResumeRes };
  /** Suspends a tenant: all access to it is denied until it is resumed. */
  Tenants_Suspend: { request: Tenants_SuspendReq; response: Tenants_SuspendRes };
  /** Updates the fields of a tenant that are sent. Fails with already_exists if the slug is taken. */
  Tenants_Update: { request: Tenants_UpdateReq; response: Tenants_UpdateRes };
  /** Returns the holder of a session token or bot key. With the permission in one tenant only, tokens of users and bots outside that tenant are inactive, the same as unknown tokens. */
  Tokens_Introspect: { request: Tokens_IntrospectReq; response: Tokens_IntrospectRes };
  /** Confirms that an identity belongs to the user. An identity that was linked by the address alone opens limited sessions, which hold rights in the provider's tenant only. A confirmed identity opens sessions for the whole account, and its open sessions are no longer limited. The user confirms with a credential that is older than the link: the account's password, or a session that the password or an older identity opened. A password that was reset after the link does not count. Another caller must be able to grant all that the user holds. */
  Users_ConfirmIdentity: { request: Users_ConfirmIdentityReq; response: Users_ConfirmIdentityRes };
  /** Creates a user whose address the caller vouches for: it counts as verified, and no mail is sent. A user without a password signs in through a provider, or resets the password first. Fails with already_exists if the address has an account. */
  Users_Create: { request: Users_CreateReq; response: Users_CreateRes };
  /** Deletes a user with its sessions, tokens, memberships and grants. Fails with failed_precondition while the user is the only owner of a tenant: delete the tenant or add another owner first. */
  Users_Delete: { request: Users_DeleteReq; response: Users_DeleteRes };
  /** Disables a user: every session ends before the call returns, and the user's grants have no effect until the user is enabled again. A user who disables another needs a sign-in, or a step-up, within the last 15 minutes, with a second factor if they have one, and a Reason, which the disabled user gets by mail. The same holds for Enable, Delete, ResetFactors, Update, ConfirmIdentity, RemoveIdentity, RevokeSession and RevokeAllSessions. */
  Users_Disable: { request: Users_DisableReq; response: Users_DisableRes };
  /** Enables a disabled user, whose grants take effect again. */
  Users_Enable: { request: Users_EnableReq; response: Users_EnableRes };
  /** Returns one user. If the caller can read users only in other tenants, the result is not_found. */
  Users_Get: { request: Users_GetReq; response: Users_GetRes };
  /** Returns the user with this address. If the caller can read users only in other tenants, the result is not_found, the same as for an unknown address. */
  Users_GetByEmail: { request: Users_GetByEmailReq; response: Users_GetByEmailRes };
  /** Imports users from another system, whose addresses the caller vouches for, with the hashes of their passwords and their memberships. No mail is sent. A user who was imported before is left as it is, except that missing memberships are made, so that an interrupted import can be repeated. The response has one verdict for each user. */
  Users_Import: { request: Users_ImportReq; response: Users_ImportRes };
  /** Lists all users of the platform, sorted by ID unless Sort says otherwise. A call that filters looks at a limited number of users: a page may have fewer than its Limit, or none, while there is a NextCursor. */
  Users_List: { request: Users_ListReq; response: Users_ListRes };
  /** Lists the users who are members of a tenant. A call that filters looks at a limited number of users: a page may have fewer than its Limit, or none, while there is a NextCursor. */
  Users_ListByTenant: { request: Users_ListByTenantReq; response: Users_ListByTenantRes };
  /** Lists the second factors of a user, without secrets. */
  Users_ListFactors: { request: Users_ListFactorsReq; response: Users_ListFactorsRes };
  /** Lists the identities at tenants' providers that a user signs in with, at most one for each provider. */
  Users_ListIdentities: { request: Users_ListIdentitiesReq; response: Users_ListIdentitiesRes };
  /** Lists the sessions of a user. Current is true for that of the call. */
  Users_ListSessions: { request: Users_ListSessionsReq; response: Users_ListSessionsRes };
  /** Locks a user: disables the account and ends all that it holds, with a receipt. Sessions, refresh tokens, sign-in codes, mailed links and consents to apps end before the call returns, invitations of the user cannot be accepted, and each app is called that the user is signed in to. Locking a locked user who was not changed since changes nothing and returns the receipt of that lock. A user who locks another needs a Reason and a recent sign-in, as for Disable. */
  Users_Lock: { request: Users_LockReq; response: Users_LockRes };
  /** Unlinks a user from a provider and ends the sessions that the provider opened. The next sign-in at the provider with the user's address is linked instead. Use it for a user who has a new identity at the provider. */
  Users_RemoveIdentity: { request: Users_RemoveIdentityReq; response: Users_RemoveIdentityRes };
  /** Removes all second factors and recovery codes of a user who has lost them, ends the user's sessions and mails the user. The next sign-in needs the password only. The caller must be able to grant all that the user holds. */
  Users_ResetFactors: { request: Users_ResetFactorsReq; response: Users_ResetFactorsRes };
  /** Ends all sessions of a user, and the sign-ins that are not complete. */
  Users_RevokeAllSessions: { request: Users_RevokeAllSessionsReq; response: Users_RevokeAllSessionsRes };
  /** Ends one session of a user. Nothing changes if it has ended already. */
  Users_RevokeSession: { request: Users_RevokeSessionReq; response: Users_RevokeSessionRes };
  /** Restores the account of a locked user, and nothing that the lock ended. Fails with failed_precondition if the user is disabled without a lock. Enable restores it too. */
  Users_Unlock: { request: Users_UnlockReq; response: Users_UnlockRes };
  /** Updates the fields of a user that are sent. Account_ChangeEmail and Account_ChangePassword change the address and the password. A user who updates another needs a Reason and a recent sign-in, as for Disable. */
  Users_Update: { request: Users_UpdateReq; response: Users_UpdateRes };
  /** Creates a link to the portal of an endpoint. The link is in the response and is never shown again. It works until it expires or is deleted, while its endpoint exists, its tenant is active, and its creator holds iam.webhooks.read and iam.webhooks.write there; grants of a bot on the platform do not count. An endpoint has at most 20 links (failed_precondition). */
  WebhookPortals_Create: { request: WebhookPortals_CreateReq; response: WebhookPortals_CreateRes };
  /** Deletes a link. It and its open session end at once. Nothing changes if it does not exist. */
  WebhookPortals_Delete: { request: WebhookPortals_DeleteReq; response: WebhookPortals_DeleteRes };
  /** Lists the links to the portal of an endpoint that have not expired. */
  WebhookPortals_List: { request: WebhookPortals_ListReq; response: WebhookPortals_ListRes };
  /** Creates an endpoint. Its signing secret is in the response and is never shown again. A tenant has a maximum number of endpoints (failed_precondition). */
  Webhooks_CreateEndpoint: { request: Webhooks_CreateEndpointReq; response: Webhooks_CreateEndpointRes };
  /** Deletes an endpoint. Its pending deliveries are dropped. */
  Webhooks_DeleteEndpoint: { request: Webhooks_DeleteEndpointReq; response: Webhooks_DeleteEndpointRes };
  /** Explains routing: lists which of the tenant's endpoints receive events of a type, and why the others do not. */
  Webhooks_Explain: { request: Webhooks_ExplainReq; response: Webhooks_ExplainRes };
  /** Explains what became of an event at each webhook endpoint of the tenant: whether it gets the event and why not, its attempts, and what the next one waits for. not_found if the event is unknown or belongs to another tenant. An event is known for 30 days after an attempt at it, while a message of it waits, and for a day if an application published it. */
  Webhooks_ExplainDelivery: { request: Webhooks_ExplainDeliveryReq; response: Webhooks_ExplainDeliveryRes };
  /** Returns one endpoint. */
  Webhooks_GetEndpoint: { request: Webhooks_GetEndpointReq; response: Webhooks_GetEndpointRes };
  /** Returns a message that was sent to an endpoint, with its body and attempts. Bodies are kept for 7 days by default. */
  Webhooks_GetMessage: { request: Webhooks_GetMessageReq; response: Webhooks_GetMessageRes };
  /** Counts the tenant's endpoints, and their delivery attempts of the last 30 days. */
  Webhooks_GetStats: { request: Webhooks_GetStatsReq; response: Webhooks_GetStatsRes };
  /** Lists the delivery attempts of the last 30 days to the tenant's endpoints, newest first, without bodies. */
  Webhooks_ListAttempts: { request: Webhooks_ListAttemptsReq; response: Webhooks_ListAttemptsRes };
  /** Lists the endpoints of a tenant. */
  Webhooks_ListEndpoints: { request: Webhooks_ListEndpointsReq; response: Webhooks_ListEndpointsRes };
  /** Lists the event types that endpoints can subscribe to, each with the schema of its body and an example. */
  Webhooks_ListEventTypes: { request: Webhooks_ListEventTypesReq; response: Webhooks_ListEventTypesRes };
  /** Sends the failed deliveries of an endpoint again, each with a full set of attempts. Fails with failed_precondition if the endpoint is inactive. */
  Webhooks_ReplayFailed: { request: Webhooks_ReplayFailedReq; response: Webhooks_ReplayFailedRes };
  /** Sends one message again to its endpoint, with the same identifier and body and a full set of attempts. Fails with failed_precondition if the endpoint is inactive. */
  Webhooks_Resend: { request: Webhooks_ResendReq; response: Webhooks_ResendRes };
  /** Replaces the signing secret of an endpoint. The new secret is in the response and is never shown again. The previous secret also signs until the grace period ends. */
  Webhooks_RotateSecret: { request: Webhooks_RotateSecretReq; response: Webhooks_RotateSecretRes };
  /** Sends an endpoint.ping event to one endpoint at once, without retries. The endpoint may be inactive, so that it can be tested before it is activated. At most ten tests a minute for each endpoint, and 60 for each tenant (resource_exhausted). */
  Webhooks_SendTest: { request: Webhooks_SendTestReq; response: Webhooks_SendTestRes };
  /** Updates an endpoint. Name and URL are required. The signing secret does not change. */
  Webhooks_UpdateEndpoint: { request: Webhooks_UpdateEndpointReq; response: Webhooks_UpdateEndpointRes };
}

/** The operations whose response is one long text. */
export interface Streams {
  /** Exports the audit entries of a tenant as NDJSON or CSV, oldest first. If the export fails midway, the connection breaks without a regular end of the response. */
  Audit_Export: { request: Audit_ExportReq };
}

/** One path from a subject to a permission: grant, group and role. */
export type AccessPath = {
  /** The grant's ID. */
  Grant: string;
  /** The path of the group that the user is a member of. Empty if the role is granted to the subject directly. */
  Group: string;
  /** The path of the parent group that holds the grant. Empty if Group itself holds it. */
  InheritedFrom: string;
  /** The role's slug. */
  Role: string;
  /** The permission as the role lists it. It may end in "*". */
  Permission: string;
  /** True for a grant on the platform, which applies in every tenant. */
  Platform: boolean;
};

/** A user or bot that holds the permission. */
export type AccessSubject = {
  ID: string;
  /** user or bot. */
  Type: string;
};

/** A page of subjects. It may have fewer items than its limit before the last page. */
export type AccessSubjectPage = {
  Items: AccessSubject[];
  NextCursor: string;
};

/** One permission or several, and the subject that is checked. */
export type Access_CheckReq = {
  Tenant: string;
  /** A user or bot. Empty means the caller. */
  Subject?: string | undefined;
  Permission?: string | undefined;
  /** The application's own name of a resource. Empty means the whole tenant. */
  Resource?: string | undefined;
  /** More checks of the same subject. Required if Permission is empty. */
  Checks?: readonly PermissionCheckInput[] | undefined;
};

/** The results of the checks. */
export type Access_CheckRes = {
  /** True if every checked permission is allowed. */
  Allowed: boolean;
  /** One result for each of Checks, in the same order. */
  Results: PermissionAnswer[];
};

/** The decision to explain. */
export type Access_ExplainReq = {
  Tenant: string;
  /** A user or bot. Empty means the caller. */
  Subject?: string | undefined;
  Permission: string;
  /** The application's own name of a resource. Empty means the whole tenant. */
  Resource?: string | undefined;
};

/** The explanation of a decision. */
export type Access_ExplainRes = {
  Allowed: boolean;
  /** Every path by which the permission is allowed. Empty if it is not allowed. */
  Paths: AccessPath[];
  /** Why the permission is not allowed, as sentences. Empty if it is allowed. */
  Missing: string[];
};

/** The subject whose permissions are listed. */
export type Access_ListPermissionsReq = {
  /** Required without Platform. */
  Tenant?: string | undefined;
  /** A user or bot. Empty means the caller. */
  Subject?: string | undefined;
  /** The application's own name of a resource. Empty means the whole tenant. */
  Resource?: string | undefined;
  /** True lists the permissions on the platform. Tenant is then empty. */
  Platform?: boolean | undefined;
};

/** The permissions that the subject holds, sorted by name. */
export type Access_ListPermissionsRes = {
  Permissions: string[];
};

/** The permission whose holders are listed. */
export type Access_ListSubjectsReq = {
  Tenant: string;
  Permission: string;
  /** The application's own name of a resource. Empty means the whole tenant. Subjects with the permission in the whole tenant are listed for each resource. */
  Resource?: string | undefined;
  /** Lists users or bots only. Empty means both. */
  Type?: string | undefined;
  Page?: PageReq | undefined;
};

/** A page of the holders. */
export type Access_ListSubjectsRes = {
  Page: AccessSubjectPage;
};

/** The planned changes, in the order in which they would be made. */
export type Access_PlanReq = {
  Tenant: string;
  Changes: readonly PlannedChangeInput[];
  /** The bot that will make the changes: its permissions count instead of the caller's, so that a caller who only reads can plan for it. Empty means the caller. */
  ForBot?: string | undefined;
};

/** The effect of the planned changes on the permissions of users and bots. */
export type Access_PlanRes = {
  Gained: PermissionChange[];
  Lost: PermissionChange[];
  /** One for each change that would be refused: its place in the request, and why. */
  Warnings: string[];
  /** The same for programs: one entry for each of Warnings, in their order. */
  Refusals: PlannedRefusal[];
};

/** An app with access to the caller's account. */
export type AccountApp = {
  ID: string;
  Name: string;
  /** The tenant of the app. Empty for an app of the platform. */
  Tenant: string;
  /** The scopes of the consent and of the sign-ins. */
  Scopes: string[];
  /** The tenants that the caller's sign-ins are for. */
  Tenants: string[];
  /** When the caller last consented. Absent if the app needs no consent. */
  ConsentedAt?: string;
  /** The latest sign-in with a session that has not ended. Absent if there is none. */
  SignedInAt?: string;
};

/** One page of apps. */
export type AccountAppPage = {
  Items: AccountApp[];
  NextCursor: string;
};

/** Selects one app. */
export type AccountApps_DeleteReq = {
  ID: string;
};

/** Empty: the app has no access. */
export type AccountApps_DeleteRes = Record<string, never>;

/** Selects a page. */
export type AccountApps_ListReq = {
  Page?: PageReq | undefined;
};

/** A page of apps. */
export type AccountApps_ListRes = {
  Page: AccountAppPage;
};

/** A user's profile. An absent field keeps its stored value; a field that is sent replaces it, so "", [] and {} clear it. */
export type AccountProfileInput = {
  Name?: string | undefined;
  GivenName?: string | undefined;
  FamilyName?: string | undefined;
  /** The URL of a picture. */
  Picture?: string | undefined;
  /** A language tag such as pt-BR. */
  Locale?: string | undefined;
  Metadata?: Readonly<Record<string, string>> | undefined;
  /** The stored address. A different address is rejected: use Account_ChangeEmail. */
  Email?: string | undefined;
  /** The stored value. Changing it requires iam.platform.users.write. */
  ExternalID?: string | undefined;
};

/** A tenant that the account belongs to. */
export type AccountTenant = {
  ID: string;
  Slug: string;
  Name: string;
  /** The second factor that the tenant requires: off, any or phishing_resistant. */
  RequireFactor: string;
  /** When it is in force. Absent if it is off. */
  FactorRequiredFrom?: string;
  /** The application of the tenant's members: Settings.AppURL. Empty if the tenant names none. */
  AppURL: string;
};

/** Empty: the options name no account. */
export type Account_BeginPasskeyLoginReq = Record<string, never>;

/** The options for the browser. */
export type Account_BeginPasskeyLoginRes = {
  /** PublicKeyCredentialRequestOptionsJSON (WebAuthn) as JSON text. */
  Options: string;
};

/** Empty: the operation is about the session of the call. */
export type Account_BeginStepUpReq = Record<string, never>;

/** The challenge and the answers that it accepts. */
export type Account_BeginStepUpRes = {
  /** For Account_CompleteStepUp. */
  Challenge: string;
  /** totp, passkey, recovery_code. */
  Factors: string[];
  /** PublicKeyCredentialRequestOptionsJSON (WebAuthn) as JSON text. Empty if the user has no passkey. */
  Options: string;
};

/** The new address of the account. */
export type Account_ChangeEmailReq = {
  Email: string;
  /** The account's password. If the account has none, the sign-in must be at most 15 minutes old. */
  Password?: string | undefined;
};

/** Empty: the token is in the mail to the new address. */
export type Account_ChangeEmailRes = Record<string, never>;

/** The current password and the new one. */
export type Account_ChangePasswordReq = {
  Current: string;
  /** 8 to 256 characters. Common passwords are rejected. */
  Password: string;
};

/** Empty: the password is changed. */
export type Account_ChangePasswordRes = Record<string, never>;

/** A challenge with one answer. */
export type Account_CompleteLoginReq = {
  /** From Account_Login or Account_LoginWithCode. */
  Challenge: string;
  /** The six digits that the authenticator app shows. */
  Totp?: string | undefined;
  /** One of the codes of RecoveryCodes_Generate. */
  RecoveryCode?: string | undefined;
  /** For browsers: the token is set as an HttpOnly cookie, and Token in the response is empty. */
  Cookie?: boolean | undefined;
  /** The browser's answer to the options of Account_BeginPasskeyLogin, as JSON text. */
  Passkey?: string | undefined;
};

/** The new session and its user. */
export type Account_CompleteLoginRes = {
  /** The session token. Send it as "Authorization: Bearer <token>". */
  Token: string;
  Session: Session;
  User: User;
  /** The number of unused recovery codes. At three or fewer, ask the user to generate new ones. */
  RecoveryCodesLeft: number;
};

/** A challenge with one answer. */
export type Account_CompleteStepUpReq = {
  /** From Account_BeginStepUp. */
  Challenge: string;
  /** The six digits that the authenticator app shows. */
  Totp?: string | undefined;
  /** One of the codes of RecoveryCodes_Generate. */
  RecoveryCode?: string | undefined;
  /** The browser's answer to the options of Account_BeginStepUp, as JSON text. */
  Passkey?: string | undefined;
};

/** The session as it is now. */
export type Account_CompleteStepUpRes = {
  Session: Session;
  /** The number of unused recovery codes. At three or fewer, ask the user to generate new ones. */
  RecoveryCodesLeft: number;
};

/** The code from the address that the browser was sent to. */
export type Account_ExchangeCodeReq = {
  Code: string;
  /** For browsers: the token is set as an HttpOnly cookie, and Token in the response is empty. */
  Cookie?: boolean | undefined;
};

/** The new session and its user. */
export type Account_ExchangeCodeRes = {
  /** The session token. Send it as "Authorization: Bearer <token>". */
  Token: string;
  Session: Session;
  User: User;
};

/** The browser's answer. */
export type Account_FinishPasskeyLoginReq = {
  /** AuthenticationResponseJSON (WebAuthn) as JSON text: JSON.stringify of the browser's credential. */
  Credential: string;
  /** For browsers: the token is set as an HttpOnly cookie, and Token in the response is empty. */
  Cookie?: boolean | undefined;
};

/** The new session and its user. */
export type Account_FinishPasskeyLoginRes = {
  /** The session token. Send it as "Authorization: Bearer <token>". */
  Token: string;
  Session: Session;
  User: User;
};

/** Empty: the operation is about the caller. */
export type Account_GetReq = Record<string, never>;

/** The caller's account and tenants. */
export type Account_GetRes = {
  User: User;
  /** A limited session shows only the tenant in LimitedTo. */
  Tenants: AccountTenant[];
  /** The ID of the only tenant in which the call's session holds rights, until Users_ConfirmIdentity confirms the identity that opened it. Empty if the session is not limited. */
  LimitedTo: string;
  /** The assurance of the call's session: aal1, aal2 or phishing_resistant. */
  Assurance: string;
  /** The suspended tenants that the account belongs to. No session holds rights in them. */
  SuspendedTenants: SuspendedTenant[];
};

/** The application to go on to. */
export type Account_IssueCodeReq = {
  /** A URL at one of BAILIWICK_ALLOWED_ORIGINS, or a path below the public URL. Empty = the AppURL of the tenant, or BAILIWICK_APP_URL. */
  ReturnTo?: string | undefined;
  /** The ID or slug of the tenant of the caller whose AppURL counts if ReturnTo is empty. Empty = the caller's only tenant. */
  Tenant?: string | undefined;
};

/** The address to open in the browser. */
export type Account_IssueCodeRes = {
  /** ReturnTo with ?code=, or without it for an address of this service. The code works once, for one minute and while the caller's session lasts. Empty if there is nowhere to go on to. */
  Redirect: string;
};

/** Empty: the cookie of the social sign-in says which identity. */
export type Account_LinkIdentityReq = Record<string, never>;

/** The linked identity. */
export type Account_LinkIdentityRes = {
  /** The ID of the provider. */
  Provider: string;
  /** The provider's name. */
  Name: string;
};

/** The address and password of an account. */
export type Account_LoginReq = {
  Email: string;
  Password: string;
  /** For browsers: the token is set as an HttpOnly cookie, and Token in the response is empty. */
  Cookie?: boolean | undefined;
  /** One of the codes of Sso_CreateRecoveryCodes, if the identity provider of a tenant that requires it does not work. Once the password and the due second factor are right, it lifts the requirement for the tenant's owners, as Sso_LiftRequirement does. The answer is the same for a wrong password, an unknown code and a user who does not own the tenant. */
  SsoRecoveryCode?: string | undefined;
};

/** The new session and its user, or a challenge if a second factor is due. */
export type Account_LoginRes = {
  /** The session token. Send it as "Authorization: Bearer <token>". Empty if a second factor is due. */
  Token: string;
  /** Absent if a second factor is due, like User. */
  Session?: Session;
  User?: User;
  /** For Account_CompleteLogin, if a second factor is due. Else empty. */
  Challenge: string;
  /** The answers that the challenge accepts: totp, passkey, recovery_code. */
  Factors: string[];
};

/** The mailed code, and the request that it was mailed for. */
export type Account_LoginWithCodeReq = {
  RequestToken: string;
  /** Eight letters and digits. Spaces, hyphens and case do not matter. */
  Code: string;
  /** For browsers: the token is set as an HttpOnly cookie, and Token in the response is empty. */
  Cookie?: boolean | undefined;
};

/** The new session and its user, or a challenge if a second factor is due. */
export type Account_LoginWithCodeRes = {
  /** The session token. Send it as "Authorization: Bearer <token>". Empty if a second factor is due. */
  Token: string;
  /** Absent if a second factor is due, like User. */
  Session?: Session;
  User?: User;
  /** For Account_CompleteLogin, if a second factor is due. Else empty. */
  Challenge: string;
  /** The answers that the challenge accepts: totp, passkey, recovery_code. */
  Factors: string[];
};

/** Empty: the operation acts on the session of the call. */
export type Account_LogoutReq = Record<string, never>;

/** Empty: the session has ended. */
export type Account_LogoutRes = Record<string, never>;

/** The address and password of the new account. */
export type Account_RegisterReq = {
  Email: string;
  /** 8 to 256 characters. Common passwords are rejected. */
  Password: string;
  /** The token of an invitation of this address, for an account without a second mail. */
  InvitationToken?: string | undefined;
  /** The proof in the link of the invitation's mail. The token alone proves nothing: the inviter has it too. */
  InvitationSecret?: string | undefined;
  /** A language tag such as pt-BR: the language of the verification mail, and the user's Locale. */
  Locale?: string | undefined;
};

/** The id that the account gets when its address is verified, or has if the link of an invitation has proven it. */
export type Account_RegisterRes = {
  UserID: string;
};

/** The address to mail a code to. */
export type Account_RequestCodeReq = {
  Email: string;
};

/** The token of the request, whether or not a mail is sent. */
export type Account_RequestCodeRes = {
  /** For Account_LoginWithCode. It stays with the browser that asked. */
  RequestToken: string;
};

/** The address of the account. */
export type Account_RequestPasswordResetReq = {
  Email: string;
};

/** Empty, whether or not a mail is sent. */
export type Account_RequestPasswordResetRes = Record<string, never>;

/** The address that was registered. */
export type Account_ResendVerificationReq = {
  Email: string;
};

/** Empty, whether or not a mail is sent. */
export type Account_ResendVerificationRes = Record<string, never>;

/** The token of a reset mail and the new password. */
export type Account_ResetPasswordReq = {
  Token: string;
  /** 8 to 256 characters. Common passwords are rejected. */
  Password: string;
};

/** Empty: the new password is set. */
export type Account_ResetPasswordRes = Record<string, never>;

/** Empty: the options are the same for all users. */
export type Account_SignInOptionsReq = Record<string, never>;

/** The ways of signing in. */
export type Account_SignInOptionsRes = {
  /** Whether users may sign in with a mailed code. */
  EmailCode: boolean;
  /** Who may register: open (everybody), invited (people with an invitation) or closed. */
  Registration: string;
  /** The least number of characters in a password. */
  PasswordLength: number;
  /** The application of the installation: BAILIWICK_APP_URL. Empty if it has none. */
  AppURL: string;
  /** Whether new passwords that are known from data breaches are refused. */
  BreachCheck: boolean;
};

/** The changes to the caller's profile. */
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

/** Empty: the address is verified. */
export type Account_VerifyRes = Record<string, never>;

/** An application that signs users in with Bailiwick, or a service that gets tokens for itself. */
export type App = {
  /** Empty on save to create a new app. It is the app's client ID (client_id). */
  ID: string;
  /** Empty for an app of the platform, which users of all tenants may use. An app of a tenant accepts members of that tenant only. */
  Tenant: string;
  /** Required on create. If absent on update, the stored value is kept. */
  Name: string;
  /** web (a server with pages), spa (code in the browser), native (on a user's device), device (a device without a browser) or service (no user). It never changes. If absent on update, the stored value is kept. */
  Kind: string;
  /** If absent, a new app is active, and an update keeps the stored value. An inactive app gets no tokens. */
  Active: boolean;
  /** Where users return to after signing in, compared exactly: https, or http on the same machine. A native app may use a scheme of its own, such as com.example.app:/callback, and the port of its http address does not count. Required for web, spa and native, and empty for the other kinds. */
  RedirectURIs: string[];
  /** Where users may return to after signing out, with the rules of RedirectURIs. */
  PostLogoutRedirectURIs: string[];
  /** The URL that is called when a user's session ends (OpenID Connect Back-Channel Logout). Empty means that no URL is called. */
  BackchannelLogoutURI: string;
  /** The scopes that the app may ask for: openid, profile, email, offline_access, groups, account, and permissions such as app.reports.read, which limit what its tokens may do. If absent, a new app gets openid, profile and email, and a new service gets no scopes. */
  Scopes: string[];
  /** The services that may accept the app's tokens, as URIs such as https://api.example.com (RFC 8707). */
  Resources: string[];
  /** How long an access token is valid, in seconds. If absent on create, 300. */
  TokenLifetimeSeconds: number;
  /** Whether users are asked before the app gets their data. */
  RequireConsent: boolean;
  /** Whether the app has to push its authorization requests (RFC 9126). */
  RequirePAR: boolean;
  /** Whether the app's tokens are bound to a key of its own (RFC 9449). */
  DPoP: boolean;
  /** How the app authenticates: client_secret_basic, client_secret_post, private_key_jwt or none. An app of Kind web or service must authenticate, by default with client_secret_basic. The other kinds cannot keep a secret, so none is their only value. */
  TokenEndpointAuthMethod: string;
  /** The app's public keys as a JSON Web Key Set. Required with private_key_jwt. */
  Jwks: string;
  /** When the client secret was made. Absent if the app has no secret. */
  SecretCreatedAt?: string;
  /** The previous client secret is accepted until this time. Absent if there is no previous secret. */
  PreviousSecretUntil?: string;
  /** The user or bot that created it. */
  CreatedBy: string;
  CreatedAt?: string;
  UpdatedAt?: string;
  /** The address of the logo below the public URL. Another logo has another address. Empty without a logo. Set it with Apps_Save. */
  LogoPath: string;
  /** The size of the logo in pixels; 0 without one. */
  LogoWidth: number;
  LogoHeight: number;
  /** How long a refresh may be repeated and gets the same answer, in seconds, until the app uses its new refresh token; 0 = never. Any other second use of a refresh token ends the sign-in. If never sent, 30, or 10 for an app that neither authenticates nor uses DPoP. */
  RefreshReuseSeconds: number;
};

/** An application that signs users in with Bailiwick, or a service that gets tokens for itself. */
export type AppInput = {
  /** Empty on save to create a new app. It is the app's client ID (client_id). */
  ID?: string | undefined;
  /** Empty for an app of the platform, which users of all tenants may use. An app of a tenant accepts members of that tenant only. */
  Tenant?: string | undefined;
  /** Required on create. If absent on update, the stored value is kept. */
  Name?: string | undefined;
  /** web (a server with pages), spa (code in the browser), native (on a user's device), device (a device without a browser) or service (no user). It never changes. If absent on update, the stored value is kept. */
  Kind?: string | undefined;
  /** If absent, a new app is active, and an update keeps the stored value. An inactive app gets no tokens. */
  Active?: boolean | undefined;
  /** Where users return to after signing in, compared exactly: https, or http on the same machine. A native app may use a scheme of its own, such as com.example.app:/callback, and the port of its http address does not count. Required for web, spa and native, and empty for the other kinds. */
  RedirectURIs?: readonly string[] | undefined;
  /** Where users may return to after signing out, with the rules of RedirectURIs. */
  PostLogoutRedirectURIs?: readonly string[] | undefined;
  /** The URL that is called when a user's session ends (OpenID Connect Back-Channel Logout). Empty means that no URL is called. */
  BackchannelLogoutURI?: string | undefined;
  /** The scopes that the app may ask for: openid, profile, email, offline_access, groups, account, and permissions such as app.reports.read, which limit what its tokens may do. If absent, a new app gets openid, profile and email, and a new service gets no scopes. */
  Scopes?: readonly string[] | undefined;
  /** The services that may accept the app's tokens, as URIs such as https://api.example.com (RFC 8707). */
  Resources?: readonly string[] | undefined;
  /** How long an access token is valid, in seconds. If absent on create, 300. */
  TokenLifetimeSeconds?: number | undefined;
  /** Whether users are asked before the app gets their data. */
  RequireConsent?: boolean | undefined;
  /** Whether the app has to push its authorization requests (RFC 9126). */
  RequirePAR?: boolean | undefined;
  /** Whether the app's tokens are bound to a key of its own (RFC 9449). */
  DPoP?: boolean | undefined;
  /** How the app authenticates: client_secret_basic, client_secret_post, private_key_jwt or none. An app of Kind web or service must authenticate, by default with client_secret_basic. The other kinds cannot keep a secret, so none is their only value. */
  TokenEndpointAuthMethod?: string | undefined;
  /** The app's public keys as a JSON Web Key Set. Required with private_key_jwt. */
  Jwks?: string | undefined;
  /** When the client secret was made. Absent if the app has no secret. */
  SecretCreatedAt?: string | undefined;
  /** The previous client secret is accepted until this time. Absent if there is no previous secret. */
  PreviousSecretUntil?: string | undefined;
  /** The user or bot that created it. */
  CreatedBy?: string | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
  /** The address of the logo below the public URL. Another logo has another address. Empty without a logo. Set it with Apps_Save. */
  LogoPath?: string | undefined;
  /** The size of the logo in pixels; 0 without one. */
  LogoWidth?: number | undefined;
  LogoHeight?: number | undefined;
  /** How long a refresh may be repeated and gets the same answer, in seconds, until the app uses its new refresh token; 0 = never. Any other second use of a refresh token ends the sign-in. If never sent, 30, or 10 for an app that neither authenticates nor uses DPoP. */
  RefreshReuseSeconds?: number | undefined;
};

/** Selects attempts. */
export type AppLogouts_ListAttemptsReq = {
  /** Empty for the apps of the platform. */
  Tenant?: string | undefined;
  /** Empty for all apps. */
  App?: string | undefined;
  /** The result of the attempt. */
  Outcome?: string | undefined;
  /** Attempts that began at or after this time. */
  Since?: string | undefined;
  /** Attempts that began before this time. */
  Until?: string | undefined;
  Page?: PageReq | undefined;
};

/** A page of attempts. The Endpoint of each is the app. */
export type AppLogouts_ListAttemptsRes = {
  Page: DeliveryAttemptPage;
};

/** One page of apps. */
export type AppPage = {
  Items: App[];
  NextCursor: string;
};

/** An event in a batch, with the fields and the rules of Publish. */
export type ApplicationEventInput = {
  /** The event's type, such as report.finished. The event families of the service itself are rejected. */
  Type: string;
  /** A JSON object in UTF-8, at most 64 KiB. It becomes the event's data, byte for byte. */
  Body: string;
  /** The caller's own identifier of this event. A second event with the same identifier within ten minutes, in this batch or in another call, is not published and gets the result of the first. If empty, the event is always published. */
  ID?: string | undefined;
};

/** The result for one event. */
export type ApplicationEventResult = {
  /** The event's identifier, as in the response of Publish. Empty if the event was refused. */
  ID: string;
  /** Why the event was refused, as in an ErrorResponse. Fields are those of the event. */
  Code: string;
  Messages: string[];
  Reason: string;
  Params: Record<string, string>;
  /** With the code invalid_argument: one entry for each of Messages, in their order. */
  Problems: Problem[];
  /** With the code resource_exhausted: the seconds after which the event can be published. */
  RetryAfterSeconds: number;
};

/** Selects one app. */
export type Apps_DeleteReq = {
  /** Empty for the apps of the platform. */
  Tenant?: string | undefined;
  ID: string;
};

/** Empty: the app is deleted. */
export type Apps_DeleteRes = Record<string, never>;

/** Selects one app. */
export type Apps_GetReq = {
  /** Empty for the apps of the platform. */
  Tenant?: string | undefined;
  ID: string;
};

/** The app. */
export type Apps_GetRes = {
  App: App;
};

/** Selects a tenant and a page. */
export type Apps_ListReq = {
  /** Empty for the apps of the platform. */
  Tenant?: string | undefined;
  Page?: PageReq | undefined;
};

/** A page of apps. */
export type Apps_ListRes = {
  Page: AppPage;
};

/** Selects the app to lock. */
export type Apps_LockReq = {
  /** Empty for the apps of the platform. */
  Tenant?: string | undefined;
  ID: string;
  /** Why: it is in the audit and the receipt. */
  Reason?: string | undefined;
};

/** The app as stored, and the receipt. */
export type Apps_LockRes = {
  App: App;
  Receipt: LockReceipt;
};

/** Selects one app, and says how long its present secret stays valid. */
export type Apps_RotateSecretReq = {
  /** Empty for the apps of the platform. */
  Tenant?: string | undefined;
  ID: string;
  /** How long the present secret is still accepted, in seconds, at most 86400 (one day). If absent or 0, it ends at once. */
  KeepOldSeconds?: number | undefined;
};

/** The app, and its new client secret, which is shown only once. */
export type Apps_RotateSecretRes = {
  App: App;
  ClientSecret: string;
};

/** The app to create or update. An absent field keeps its stored value; a field that is sent replaces it, so "" and [] clear it. An empty TokenEndpointAuthMethod means the default of the Kind. */
export type Apps_SaveReq = {
  App?: AppInput | undefined;
  /** Save only if the stored app's UpdatedAt equals this time; otherwise fails with failed_precondition. */
  IfUpdatedAt?: string | undefined;
  /** The logo on the pages that ask people about the app: a PNG, JPEG or WebP image of at most 64 KiB, and at most 2048 pixels wide and high. If absent, the stored logo is kept; empty removes it. */
  Logo?: string | undefined;
};

/** The app as stored, and its client secret if this call made one. */
export type Apps_SaveRes = {
  App: App;
  /** Shown only once: when an app that authenticates with a secret is created, or begins to. Empty otherwise. */
  ClientSecret: string;
};

/** One changed field. */
export type AuditChange = {
  Field: string;
  Old: string;
  New: string;
};

/** One change, or one denied call. */
export type AuditEntry = {
  ID: string;
  /** Empty if the entry is about the platform. */
  Tenant: string;
  /** The number of the entry within its tenant. */
  Seq: number;
  OccurredAt?: string;
  /** The action, such as group.member_added. */
  Action: string;
  /** The operation that was called, such as Groups_AddMember. */
  Operation: string;
  /** success, denied or failed. */
  Result: string;
  /** The error code. Empty if the call succeeded. */
  Code: string;
  /** user, bot, platform, portal (a link to the portal of a webhook endpoint), system or anonymous. */
  ActorType: string;
  ActorID: string;
  /** The session or bot key of the call. */
  CredentialID: string;
  /** The records that the call changed or was about. */
  Targets: AuditTarget[];
  /** The permission that the operation requires. */
  Permission: string;
  /** The grant that gave the permission. Empty if no grant gave it, or if the caller used the installation's own key. */
  GrantID: string;
  IP: string;
  UserAgent: string;
  RequestID: string;
  TraceID: string;
  /** The changed fields, without secrets. */
  Changes: AuditChange[];
  /** The Hash of the tenant's previous entry. */
  PrevHash: string;
  /** The hash of this entry and PrevHash. It reveals a changed or removed entry. */
  Hash: string;
};

/** One page of audit entries. */
export type AuditEntryPage = {
  Items: AuditEntry[];
  NextCursor: string;
};

/** Restricts the list: an empty field does not restrict, and several values of one field are alternatives. */
export type AuditFilterInput = {
  Actions?: readonly string[] | undefined;
  ActorIDs?: readonly string[] | undefined;
  TargetIDs?: readonly string[] | undefined;
  IP?: string | undefined;
  /** success, denied or failed. */
  Result?: string | undefined;
  /** Start of the period, inclusive. */
  From?: string | undefined;
  /** End of the period, exclusive. */
  To?: string | undefined;
  /** The beginning of the action, such as group. for all changes of groups. No character is a wildcard. */
  ActionPrefix?: string | undefined;
  /** The beginning of the operation, such as Groups_ for all operations of groups. No character is a wildcard. */
  OperationPrefix?: string | undefined;
};

/** One problem in the hash chain. */
export type AuditProblem = {
  Seq: number;
  /** The entry's ID. Empty if the entry is missing. */
  ID: string;
  /** changed, missing or reordered. */
  Kind: string;
  /** A description of the problem. */
  Message: string;
};

/** A record that the call was about. */
export type AuditTarget = {
  Type: string;
  ID: string;
  Name: string;
};

/** Selects the hash chain to anchor. */
export type Audit_AnchorReq = {
  /** Empty means the platform's own entries. */
  Tenant?: string | undefined;
};

/** The signed end of the hash chain. */
export type Audit_AnchorRes = {
  /** An opaque, signed text. It can be verified as long as the key that signed it is in the key ring. */
  Anchor: string;
};

/** Selects the entries and the format. */
export type Audit_ExportReq = {
  /** Empty means the platform's own entries. */
  Tenant?: string | undefined;
  /** ndjson or csv; empty means ndjson. */
  Format?: string | undefined;
  Filter?: AuditFilterInput | undefined;
};

/** Selects a user, a page and a filter. */
export type Audit_ListByUserReq = {
  UserID: string;
  /** Restricts the list to the entries of this tenant. */
  Tenant?: string | undefined;
  Page?: PageReq | undefined;
  Filter?: AuditFilterInput | undefined;
};

/** A page of audit entries. */
export type Audit_ListByUserRes = {
  Page: AuditEntryPage;
};

/** Selects a tenant, a page and a filter. */
export type Audit_ListReq = {
  /** Empty means the platform's own entries. */
  Tenant?: string | undefined;
  Page?: PageReq | undefined;
  Filter?: AuditFilterInput | undefined;
  /** Lists the oldest entries first. */
  OldestFirst?: boolean | undefined;
};

/** A page of audit entries. */
export type Audit_ListRes = {
  Page: AuditEntryPage;
};

/** Selects the entries to verify. */
export type Audit_VerifyReq = {
  /** Empty means the platform's own entries. */
  Tenant?: string | undefined;
  /** The NextCursor of the previous call. Empty means from the first entry. */
  Cursor?: string | undefined;
  /** The anchor that Audit_Anchor returned for this tenant. Empty means no anchor. Send the same anchor with every page of one verification. */
  Anchor?: string | undefined;
};

/** The result of the verification. */
export type Audit_VerifyRes = {
  /** True if no problem was found in the entries of this call. */
  Valid: boolean;
  /** The number of entries that this call verified. */
  Checked: number;
  /** The problems found, at most 100. */
  Problems: AuditProblem[];
  /** Empty if all entries have been verified. */
  NextCursor: string;
  /** The last verified entry. Store Seq and Hash elsewhere to show later that no entry before it was rewritten. */
  Seq: number;
  Hash: string;
  /** unchanged: the entries up to the anchor are the same as when it was made, and entries that retention has removed led to the same hash. dropped: retention has removed the anchored entry and all entries before it, so nothing more can be proved about them. Empty: no Anchor was sent, it lies on a later page, or there are Problems. */
  AnchorState: string;
  /** The last entry at the time the anchor was made. */
  AnchorSeq: number;
  AnchoredAt?: string;
};

/** A program that authenticates with keys of its own. */
export type Bot = {
  /** Empty on save to create a new bot. */
  ID: string;
  Tenant: string;
  /** Required on create. If absent on update, the stored value is kept. */
  Name: string;
  Description: string;
  /** The keys of an inactive bot are rejected. If absent, the stored value is kept; a new bot is active. */
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
  /** Required unless Platform is true. */
  Tenant: string;
  Bot: string;
  /** The role's slug. */
  Role: string;
  /** The application's own name of the resource that the grant is limited to. Empty means the whole tenant. */
  Resource: string;
  /** When the grant expires. If absent, it never expires. */
  ExpiresAt?: string;
  /** The user or bot that granted it. */
  CreatedBy: string;
  CreatedAt?: string;
  /** True for a grant on the platform, which applies in every tenant. Send it without Tenant. */
  Platform: boolean;
};

/** A role granted to a bot. */
export type BotGrantInput = {
  ID?: string | undefined;
  /** Required unless Platform is true. */
  Tenant?: string | undefined;
  Bot: string;
  /** The role's slug. */
  Role: string;
  /** The application's own name of the resource that the grant is limited to. Empty means the whole tenant. */
  Resource?: string | undefined;
  /** When the grant expires. If absent, it never expires. */
  ExpiresAt?: string | undefined;
  /** The user or bot that granted it. */
  CreatedBy?: string | undefined;
  CreatedAt?: string | undefined;
  /** True for a grant on the platform, which applies in every tenant. Send it without Tenant. */
  Platform?: boolean | undefined;
};

/** One page of grants to bots. */
export type BotGrantPage = {
  Items: BotGrant[];
  NextCursor: string;
};

/** The grant to add. */
export type BotGrants_AddReq = {
  Grant: BotGrantInput;
  /** Why the caller grants a role on the platform: it is in the audit, and the operators (at most 50) read it in a mail. */
  Reason?: string | undefined;
};

/** Empty: the grant is in place. */
export type BotGrants_AddRes = Record<string, never>;

/** Selects a tenant, a bot, a role and a page. */
export type BotGrants_ListByTenantReq = {
  /** Required unless Platform is true. */
  Tenant?: string | undefined;
  Page?: PageReq | undefined;
  /** True to list the grants on the platform. Send it without Tenant. */
  Platform?: boolean | undefined;
  /** Whether to include the active grants on the platform, which apply in the tenant too. They have Platform set to true and no CreatedBy. */
  IncludePlatform?: boolean | undefined;
  /** Only the grants of this bot. */
  Bot?: string | undefined;
  /** The slug of a role: only its grants. Empty selects the grants of all roles. */
  Role?: string | undefined;
};

/** A page of grants. */
export type BotGrants_ListByTenantRes = {
  Page: BotGrantPage;
};

/** The grant to revoke. Only Tenant, Platform, Bot, Role and Resource are used. */
export type BotGrants_RemoveReq = {
  Grant: BotGrantInput;
};

/** Empty: the grant is revoked. */
export type BotGrants_RemoveRes = Record<string, never>;

/** A program that authenticates with keys of its own. */
export type BotInput = {
  /** Empty on save to create a new bot. */
  ID?: string | undefined;
  Tenant: string;
  /** Required on create. If absent on update, the stored value is kept. */
  Name?: string | undefined;
  Description?: string | undefined;
  /** The keys of an inactive bot are rejected. If absent, the stored value is kept; a new bot is active. */
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
  /** The first eight characters of the secret, to identify the key. */
  Prefix: string;
  /** The last four characters of the secret. */
  Last4: string;
  /** The permissions of the bot that the key is narrowed to. Empty means all of them. */
  Permissions: string[];
  /** IP addresses and networks that the key may be used from. Empty means all. From elsewhere the key is rejected with 401. */
  AllowedIPs: string[];
  ExpiresAt?: string;
  /** Accurate to one minute. */
  LastUsedAt?: string;
  RevokedAt?: string;
  /** The key that this one replaces. */
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

/** The properties of the new key. */
export type BotKeys_CreateReq = {
  Tenant: string;
  Bot: string;
  Name: string;
  /** At most 365 days ahead, or fewer if the tenant limits it. If absent, 90 days ahead. */
  ExpiresAt?: string | undefined;
  /** Narrows the key to these permissions of the bot. Empty means all of them. */
  Permissions?: readonly string[] | undefined;
  /** IP addresses and networks that the key may be used from, such as 192.0.2.0/24. Empty means all. From elsewhere the key is rejected with 401. */
  AllowedIPs?: readonly string[] | undefined;
};

/** The new key, and its secret, which is shown only once. */
export type BotKeys_CreateRes = {
  Key: BotKey;
  /** Send it as "Authorization: Bearer <secret>". */
  Secret: string;
};

/** Selects one key. */
export type BotKeys_GetReq = {
  Tenant: string;
  ID: string;
};

/** The key. */
export type BotKeys_GetRes = {
  Key: BotKey;
};

/** Selects a bot and a page. */
export type BotKeys_ListReq = {
  Tenant: string;
  Bot: string;
  Page?: PageReq | undefined;
};

/** A page of keys. */
export type BotKeys_ListRes = {
  Page: BotKeyPage;
};

/** The key to rotate, and the expiry of its successor. */
export type BotKeys_RotateReq = {
  Tenant: string;
  ID: string;
  /** At most 365 days ahead, or fewer if the tenant limits it. If absent, 90 days ahead. */
  ExpiresAt?: string | undefined;
};

/** The successor, and its secret, which is shown only once. */
export type BotKeys_RotateRes = {
  Key: BotKey;
  /** Send it as "Authorization: Bearer <secret>". */
  Secret: string;
};

/** The key, and its new expiry. */
export type BotKeys_SetExpirationReq = {
  Tenant: string;
  ID: string;
  /** At most 365 days ahead, or fewer if the tenant limits it. Now or a time in the past revokes the key. */
  ExpiresAt: string;
};

/** The key as stored. */
export type BotKeys_SetExpirationRes = {
  Key: BotKey;
};

/** One page of bots. */
export type BotPage = {
  Items: Bot[];
  NextCursor: string;
};

/** A token must match all of its fields. A text that ends in "*" matches every text that begins with the characters before it. */
export type BotTrust = {
  /** Empty on save to create a new trust. */
  ID: string;
  Tenant: string;
  /** The bot that the token stands for. It never changes. Required on create. If absent on update, the stored value is kept. */
  Bot: string;
  /** The token's issuer (iss), compared exactly, such as https://token.actions.githubusercontent.com. Required on create. If absent on update, the stored value is kept. */
  Issuer: string;
  /** One of the token's audiences (aud), compared exactly. Required on create. If absent on update, the stored value is kept. */
  Audience: string;
  /** The token's subject (sub), or its beginning and "*": system:serviceaccount:ci:deployer, or repo:acme/app:*. Required on create. If absent on update, the stored value is kept. */
  Subject: string;
  /** Further claims that the token must have, each a text with the rules of Subject, such as {"repository_owner_id": "583231"}. If absent on update, the stored value is kept. */
  Claims: Record<string, string>;
  /** The user or bot that created it. */
  CreatedBy: string;
  CreatedAt?: string;
  UpdatedAt?: string;
  /** The issuer's public keys as a JSON Web Key Set, for an issuer that Bailiwick cannot reach, such as a cluster's. If empty, they are fetched from the issuer. If absent on update, the stored value is kept. */
  JWKS: string;
};

/** A token must match all of its fields. A text that ends in "*" matches every text that begins with the characters before it. */
export type BotTrustInput = {
  /** Empty on save to create a new trust. */
  ID?: string | undefined;
  Tenant: string;
  /** The bot that the token stands for. It never changes. Required on create. If absent on update, the stored value is kept. */
  Bot?: string | undefined;
  /** The token's issuer (iss), compared exactly, such as https://token.actions.githubusercontent.com. Required on create. If absent on update, the stored value is kept. */
  Issuer?: string | undefined;
  /** One of the token's audiences (aud), compared exactly. Required on create. If absent on update, the stored value is kept. */
  Audience?: string | undefined;
  /** The token's subject (sub), or its beginning and "*": system:serviceaccount:ci:deployer, or repo:acme/app:*. Required on create. If absent on update, the stored value is kept. */
  Subject?: string | undefined;
  /** Further claims that the token must have, each a text with the rules of Subject, such as {"repository_owner_id": "583231"}. If absent on update, the stored value is kept. */
  Claims?: Readonly<Record<string, string>> | undefined;
  /** The user or bot that created it. */
  CreatedBy?: string | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
  /** The issuer's public keys as a JSON Web Key Set, for an issuer that Bailiwick cannot reach, such as a cluster's. If empty, they are fetched from the issuer. If absent on update, the stored value is kept. */
  JWKS?: string | undefined;
};

/** One page of trusts. */
export type BotTrustPage = {
  Items: BotTrust[];
  NextCursor: string;
};

/** Selects one trust. */
export type BotTrusts_DeleteReq = {
  Tenant: string;
  ID: string;
};

/** Empty: the trust is deleted. */
export type BotTrusts_DeleteRes = Record<string, never>;

/** Selects one trust. */
export type BotTrusts_GetReq = {
  Tenant: string;
  ID: string;
};

/** The trust. */
export type BotTrusts_GetRes = {
  Trust: BotTrust;
};

/** Selects a bot and a page. */
export type BotTrusts_ListReq = {
  Tenant: string;
  Bot: string;
  Page?: PageReq | undefined;
};

/** A page of trusts. */
export type BotTrusts_ListRes = {
  Page: BotTrustPage;
};

/** The trust to create or update. An absent field keeps its stored value; a field that is sent replaces it, so "" and {} clear it. */
export type BotTrusts_SaveReq = {
  Trust: BotTrustInput;
  /** Save only if the stored trust's UpdatedAt equals this time; otherwise fails with failed_precondition. */
  IfUpdatedAt?: string | undefined;
};

/** The trust as stored. */
export type BotTrusts_SaveRes = {
  Trust: BotTrust;
};

/** Selects one bot. */
export type Bots_DeleteReq = {
  Tenant: string;
  ID: string;
};

/** Empty: the bot is deleted. */
export type Bots_DeleteRes = Record<string, never>;

/** Selects a tenant. */
export type Bots_GetCountsReq = {
  Tenant: string;
};

/** The figures of a tenant's bots. */
export type Bots_GetCountsRes = {
  Active: Count;
  Inactive: Count;
  /** The valid keys that expire within 30 days and have no successor from a rotation. */
  ExpiringKeys: Count;
};

/** Selects one bot. */
export type Bots_GetReq = {
  Tenant: string;
  ID: string;
};

/** The bot. */
export type Bots_GetRes = {
  Bot: Bot;
};

/** Selects a tenant and a page. */
export type Bots_ListReq = {
  Tenant: string;
  Page?: PageReq | undefined;
  /** A part of the name, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name or of its last word. No character is a wildcard. Empty selects all bots. */
  Query?: string | undefined;
  /** Empty selects all bots. */
  Status?: string | undefined;
  /** Bots created at or after this time. */
  From?: string | undefined;
  /** Bots created before this time. */
  To?: string | undefined;
  /** The order: name or created. Empty means by ID. */
  Sort?: string | undefined;
  /** Reverses the order. */
  Descending?: boolean | undefined;
};

/** A page of bots. */
export type Bots_ListRes = {
  Page: BotPage;
};

/** Selects the bot to lock. */
export type Bots_LockReq = {
  Tenant: string;
  ID: string;
  /** Why: it is in the audit and the receipt. */
  Reason?: string | undefined;
};

/** The bot as stored, and the receipt. */
export type Bots_LockRes = {
  Bot: Bot;
  Receipt: LockReceipt;
};

/** The bot to create or update. An absent field keeps its stored value; a field that is sent replaces it, so "", [] and {} clear it. */
export type Bots_SaveReq = {
  Bot: BotInput;
  /** Save only if the stored bot's UpdatedAt equals this time; otherwise fails with failed_precondition. */
  IfUpdatedAt?: string | undefined;
};

/** The bot as stored. */
export type Bots_SaveRes = {
  Bot: Bot;
};

/** A chat endpoint. Its URL is a separate request field and is never returned. */
export type ChatEndpoint = {
  /** Set by the service on create, required on update. */
  ID: string;
  /** If absent on create, the bot's tenant or the user's only tenant. It never changes. */
  Tenant: string;
  Name: string;
  /** If absent on update, the stored value is kept. */
  Active: boolean;
  /** The data key that encrypts the URL. */
  DekID: string;
  /** Always empty in responses and events. If an event lists it in `previous`, the URL was replaced. */
  URLEnc: string;
  /** The event types to receive. "user.*" means every event type that begins with "user.". Empty means all event types. */
  EventTypes: string[];
  Description: string;
  /** The format of the messages: slack, teams, discord, mattermost or generic. If absent, the URL decides on create and with a new URL. Choose one for a host of your own, such as a proxy. */
  Kind: string;
  /** Why the service disabled the endpoint. Empty if the service did not disable it. */
  DisabledReason: string;
  DisabledAt?: string;
  CreatedAt?: string;
  UpdatedAt?: string;
  /** Only in the responses of GetEndpoint and ListEndpoints. */
  Health?: EndpointHealth;
};

/** A chat endpoint. Its URL is a separate request field and is never returned. */
export type ChatEndpointInput = {
  /** Set by the service on create, required on update. */
  ID?: string | undefined;
  /** If absent on create, the bot's tenant or the user's only tenant. It never changes. */
  Tenant?: string | undefined;
  Name: string;
  /** If absent on update, the stored value is kept. */
  Active?: boolean | undefined;
  /** The data key that encrypts the URL. */
  DekID?: string | undefined;
  /** Always empty in responses and events. If an event lists it in `previous`, the URL was replaced. */
  URLEnc?: string | undefined;
  /** The event types to receive. "user.*" means every event type that begins with "user.". Empty means all event types. */
  EventTypes?: readonly string[] | undefined;
  Description?: string | undefined;
  /** The format of the messages: slack, teams, discord, mattermost or generic. If absent, the URL decides on create and with a new URL. Choose one for a host of your own, such as a proxy. */
  Kind?: string | undefined;
  /** Why the service disabled the endpoint. Empty if the service did not disable it. */
  DisabledReason?: string | undefined;
  DisabledAt?: string | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
  /** Only in the responses of GetEndpoint and ListEndpoints. */
  Health?: EndpointHealthInput | undefined;
};

/** One page of chat endpoints. */
export type ChatEndpointPage = {
  Items: ChatEndpoint[];
  NextCursor: string;
};

/** The endpoint to create, and its URL. */
export type Chat_CreateEndpointReq = {
  Endpoint: ChatEndpointInput;
  /** The incoming-webhook URL of the chat service. It is encrypted and never returned. */
  URL: string;
};

/** The endpoint as stored. */
export type Chat_CreateEndpointRes = {
  Endpoint: ChatEndpoint;
};

/** Selects one endpoint. */
export type Chat_DeleteEndpointReq = {
  Tenant: string;
  ID: string;
};

/** Empty: the endpoint is deleted. */
export type Chat_DeleteEndpointRes = Record<string, never>;

/** Selects one endpoint. */
export type Chat_GetEndpointReq = {
  Tenant: string;
  ID: string;
};

/** The endpoint. */
export type Chat_GetEndpointRes = {
  Endpoint: ChatEndpoint;
};

/** Selects a message of an endpoint. */
export type Chat_GetMessageReq = {
  Tenant: string;
  /** The endpoint. */
  ID: string;
  /** The message's identifier: the ID of its attempts. */
  MessageID: string;
};

/** The message. */
export type Chat_GetMessageRes = {
  Message: DeliveryMessage;
};

/** Selects a tenant, or one of its endpoints. */
export type Chat_GetStatsReq = {
  Tenant: string;
  /** Restricts the attempts to this endpoint. Empty means all endpoints, deleted ones included. */
  ID?: string | undefined;
};

/** The endpoints and their attempts. */
export type Chat_GetStatsRes = {
  /** All endpoints of the tenant, also if the request names one. */
  Endpoints: EndpointCounts;
  /** The last 30 days, oldest first. The last one is today. */
  Days: DeliveryStats[];
  /** The last 48 hours, oldest first. */
  Hours: DeliveryStats[];
};

/** Selects a tenant, a page and a filter. Empty fields do not restrict the list. */
export type Chat_ListAttemptsReq = {
  Tenant: string;
  Endpoint?: string | undefined;
  /** The result of the attempt. */
  Outcome?: string | undefined;
  EventType?: string | undefined;
  /** Attempts that began at or after this time. */
  Since?: string | undefined;
  /** Attempts that began before this time. */
  Until?: string | undefined;
  Page?: PageReq | undefined;
  /** Only the latest attempt of each message, so that a message is listed once. */
  Latest?: boolean | undefined;
};

/** A page of attempts. */
export type Chat_ListAttemptsRes = {
  Page: DeliveryAttemptPage;
};

/** Selects a tenant and a page. */
export type Chat_ListEndpointsReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of endpoints. */
export type Chat_ListEndpointsRes = {
  Page: ChatEndpointPage;
};

/** Selects an endpoint and a period. */
export type Chat_ReplayFailedReq = {
  Tenant: string;
  ID: string;
  /** Start of the period, inclusive. If absent, all stored deliveries: those of the last 30 days. */
  Since?: string | undefined;
  /** End of the period, exclusive. If absent, now. */
  Until?: string | undefined;
};

/** The deliveries that were queued again. */
export type Chat_ReplayFailedRes = {
  Queued: number;
};

/** Selects a message of an endpoint. */
export type Chat_ResendReq = {
  Tenant: string;
  /** The endpoint. */
  ID: string;
  /** The message's identifier: the ID of its attempts. */
  MessageID: string;
  /** Makes the next attempt of a waiting message at once. It counts as one of the message's attempts. A pause that follows too many failed attempts ends, and one that the receiver asked for stays. Counts towards the limits of SendTest. */
  Now?: boolean | undefined;
};

/** Whether the message was queued again. */
export type Chat_ResendRes = {
  /** False if it was queued already, or if with Now the receiver asked for a pause. */
  Queued: boolean;
};

/** Selects one endpoint. */
export type Chat_SendTestReq = {
  Tenant: string;
  ID: string;
};

/** The result of the attempt. A test is not retried, so the status is never retry. */
export type Chat_SendTestRes = {
  Task: TaskResult;
};

/** The endpoint to update and, optionally, its new URL. An absent field keeps its stored value; a field that is sent replaces it, so "", [] and {} clear it. ID and Name are required; an empty URL keeps the stored one. */
export type Chat_UpdateEndpointReq = {
  Endpoint: ChatEndpointInput;
  /** Empty keeps the stored URL. */
  URL?: string | undefined;
};

/** The endpoint as stored. */
export type Chat_UpdateEndpointRes = {
  Endpoint: ChatEndpoint;
};

/** A number of records. */
export type Count = {
  Value: number;
  /** Whether there are more: counting ends at 10,000. */
  HasMore: boolean;
};

/** A tenant's data key. */
export type DataKey = {
  ID: string;
  /** The key-encryption key that wraps it. */
  Kek: string;
  CreatedAt?: string;
  /** When a new data key replaced it. Absent for the data key in use. */
  SupersededAt?: string;
  /** When the last record stopped using it. The key is removed ten minutes later. */
  UnusedSince?: string;
  /** The number of records that it encrypts. */
  Records: number;
};

/** What was counted on one day. */
export type DayCount = {
  /** The day in UTC, such as 2026-11-25. */
  Day: string;
  Count: number;
};

/** One attempt to deliver a message to an endpoint. */
export type DeliveryAttempt = {
  /** The webhook-id of the delivery, the same for all its attempts. */
  ID: string;
  Tenant: string;
  /** The endpoint, which may have been deleted since. */
  Endpoint: string;
  /** The event that was delivered. Empty for an internal delivery without an event. */
  Event: string;
  /** The event's type. endpoint.ping is a test. */
  EventType: string;
  /** The number of the attempt, from 1. */
  Attempt: number;
  /** delivered, retry, failed or dropped. retry: another attempt follows. failed: no attempt follows. */
  Status: string;
  /** The receiver's HTTP status; 0 if there was no response. */
  StatusCode: number;
  /** The kind of error, as in TaskResult (result.proto). Empty after a success. */
  Error: string;
  /** One sentence for human readers. */
  Message: string;
  DurationMs: number;
  StartedAt?: string;
  /** Absent if no other attempt follows. */
  NextAttemptAt?: string;
};

/** One page of attempts. */
export type DeliveryAttemptPage = {
  Items: DeliveryAttempt[];
  NextCursor: string;
};

/** The fate of an event at one endpoint. */
export type DeliveryExplanation = {
  Endpoint: string;
  Name: string;
  /** Whether the endpoint gets the event: it was sent, or it waits. A test (endpoint.ping) is sent to the tested endpoint alone. */
  Receives: boolean;
  /** Why it does not: not_subscribed, inactive, self_event, created_later, no_tenant (no endpoint gets the type), test_only (only a tested endpoint does) or not_recorded. Empty if it does. not_recorded: the endpoint subscribes now, has no attempt, and was changed after the event or the event is older than a day, so that it most likely did not subscribe then. */
  Reason: string;
  /** delivered, waiting, failed (no attempt follows), stopped (attempts were made, and none follows because the endpoint was switched off) or not_sent. */
  State: string;
  /** The explanation as a sentence. */
  Message: string;
  /** The wait for the next attempt. Absent unless State is waiting. */
  Wait?: DeliveryWait;
  /** The attempts of the last 30 days, oldest first; the latest 50 if there are more. */
  Attempts: DeliveryAttempt[];
};

/** A message that was sent to an endpoint, with its attempts. */
export type DeliveryMessage = {
  /** The webhook-id of the message, the same for all its attempts. */
  ID: string;
  Tenant: string;
  Endpoint: string;
  /** The event that was delivered. */
  Event: string;
  /** The event's type. */
  EventType: string;
  /** The body, byte for byte as sent. */
  Body: string;
  /** When the first attempt ended. */
  CreatedAt?: string;
  /** The result of the latest attempt: delivered, retry, failed or dropped. */
  Status: string;
  /** The attempts of the last 30 days, oldest first; the latest 200 if there are more. */
  Attempts: DeliveryAttempt[];
};

/** The delivery attempts that began within one hour or one day, in UTC. */
export type DeliveryStats = {
  Start?: string;
  /** Attempts that the receiver accepted. */
  Delivered: number;
  /** Attempts that did not succeed and were to be repeated. */
  Retried: number;
  /** Attempts that did not succeed and were the last of their message. */
  Failed: number;
  /** The mean and the longest duration of these attempts. 0 without attempts. */
  MeanMs: number;
  LongestMs: number;
};

/** The wait for the next attempt at a message. */
export type DeliveryWait = {
  /** retry (the wait after a failed attempt), resend (it is sent again), pause (the endpoint is paused because too many attempts failed), receiver (the receiver asked for a pause), probe (one other message is tried first, after a pause), rate (the endpoint's RateLimit), turn (other messages to the endpoint, which answers slowly), quota (more messages of the tenant, or a slow receiver: the slow lane), queue (its turn in the queue) or fault (an internal error: it is repeated). */
  For: string;
  /** Nothing is attempted before this time, which is never in the past. Absent if the time is not known, or is now. */
  Until?: string;
  /** The number of the next attempt, and of the last one that the schedule allows. */
  Attempt: number;
  LastAttempt: number;
};

/** A mail domain of a tenant. */
export type Domain = {
  ID: string;
  Tenant: string;
  /** In lower case. International names are in their xn-- form. */
  Name: string;
  /** pending, verified, lapsed or failed. */
  Status: string;
  /** The name of the TXT record that proves ownership. */
  TxtName: string;
  /** The value of that record. */
  TxtValue: string;
  /** The effect on users with an address in this domain, while it is verified. off: it only proves addresses. suggest: users are offered to join. join: users become members when they verify their address. require_sso: users must sign in at the tenant's provider; passwords are rejected. */
  Capture: string;
  /** The role of users who join through the domain. Empty means the tenant's default role. */
  DefaultRole: string;
  VerifiedAt?: string;
  LastCheckedAt?: string;
  /** Why the last DNS lookup did not verify the domain. */
  FailureReason: string;
  /** A domain that is still pending at this time becomes failed. */
  ChallengeExpiresAt?: string;
  CreatedAt?: string;
};

/** One page of domains. */
export type DomainPage = {
  Items: Domain[];
  NextCursor: string;
};

/** A tenant with a domain that matches the caller's address. */
export type DomainSuggestion = {
  Tenant: string;
  /** The domain, in lower case. International names are in their xn-- form. */
  Name: string;
  /** The URL of the provider's login route. Empty if the tenant has no active provider. */
  Redirect: string;
};

/** The domain to claim, and its settings. */
export type Domain_CreateReq = {
  Tenant: string;
  /** The domain name, such as example.com. International names are accepted in both forms. */
  Name: string;
  /** off, suggest, join or require_sso; empty means off. */
  Capture?: string | undefined;
  /** The role of users who join through the domain. It cannot be owner. Empty means the tenant's default role. */
  DefaultRole?: string | undefined;
};

/** The domain, with the TXT record to create. */
export type Domain_CreateRes = {
  Domain: Domain;
};

/** Selects one domain. */
export type Domain_DeleteReq = {
  Tenant: string;
  ID: string;
};

/** Empty: the claim is deleted. */
export type Domain_DeleteRes = Record<string, never>;

/** Selects one domain. */
export type Domain_GetReq = {
  Tenant: string;
  ID: string;
};

/** The domain. */
export type Domain_GetRes = {
  Domain: Domain;
};

/** Selects one tenant. */
export type Domain_JoinReq = {
  Tenant: string;
};

/** Empty: the caller is a member. */
export type Domain_JoinRes = Record<string, never>;

/** Selects a tenant and a page. */
export type Domain_ListReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of domains. */
export type Domain_ListRes = {
  Page: DomainPage;
};

/** Empty: the caller's verified address is used. */
export type Domain_ListSuggestionsReq = Record<string, never>;

/** The tenants that the caller may join. */
export type Domain_ListSuggestionsRes = {
  Suggestions: DomainSuggestion[];
};

/** The domain to update. An absent field keeps its stored value; a field that is sent replaces it, so "", [] and {} clear it. */
export type Domain_UpdateReq = {
  Tenant: string;
  ID: string;
  /** off, suggest, join or require_sso. */
  Capture?: string | undefined;
  /** The role of users who join through the domain. It cannot be owner. Empty means the tenant's default role. */
  DefaultRole?: string | undefined;
};

/** The domain as stored. */
export type Domain_UpdateRes = {
  Domain: Domain;
};

/** Selects one domain. */
export type Domain_VerifyReq = {
  Tenant: string;
  ID: string;
};

/** The domain as stored: verified, or pending with a FailureReason. */
export type Domain_VerifyRes = {
  Domain: Domain;
};

/** The endpoints of a tenant. */
export type EndpointCounts = {
  Total: number;
  /** Active endpoints whose latest deliveries failed. */
  Failing: number;
  /** Endpoints that the service switched off because of their failures. */
  Disabled: number;
};

/** A failed attempt, without any text of the receiver. */
export type EndpointError = {
  /** The receiver's HTTP status; 0 if there was no response. */
  StatusCode: number;
  /** The kind of error, as in TaskResult (result.proto). */
  Error: string;
  /** When the attempt began. */
  At?: string;
};

/** A failed attempt, without any text of the receiver. */
export type EndpointErrorInput = {
  /** The receiver's HTTP status; 0 if there was no response. */
  StatusCode?: number | undefined;
  /** The kind of error, as in TaskResult (result.proto). */
  Error?: string | undefined;
  /** When the attempt began. */
  At?: string | undefined;
};

/** Whether an endpoint gets its deliveries now. */
export type EndpointHealth = {
  /** delivering, failing, paused or off. failing: no attempt has succeeded since FailingSince. paused: nothing is sent before PausedUntil. off: the endpoint is inactive. */
  State: string;
  /** The first failure since the last success. Absent if the latest deliveries succeeded. */
  FailingSince?: string;
  /** Nothing is sent before this time: too many attempts failed, or the receiver asked for a pause. Absent if deliveries are not paused. */
  PausedUntil?: string;
  /** The messages that wait for their next attempt, at most 1000. Those that have not been attempted yet count once they wait for the endpoint. */
  Waiting: number;
  /** The attempts of the last 24 hours: those that began in the current hour (UTC) or the 23 before. */
  Attempts: number;
  /** How many of a hundred of these attempts succeeded, rounded down. 0 without attempts. */
  SuccessPercent: number;
  /** The latest attempt, if it failed. */
  LastError?: EndpointError;
};

/** Whether an endpoint gets its deliveries now. */
export type EndpointHealthInput = {
  /** delivering, failing, paused or off. failing: no attempt has succeeded since FailingSince. paused: nothing is sent before PausedUntil. off: the endpoint is inactive. */
  State?: string | undefined;
  /** The first failure since the last success. Absent if the latest deliveries succeeded. */
  FailingSince?: string | undefined;
  /** Nothing is sent before this time: too many attempts failed, or the receiver asked for a pause. Absent if deliveries are not paused. */
  PausedUntil?: string | undefined;
  /** The messages that wait for their next attempt, at most 1000. Those that have not been attempted yet count once they wait for the endpoint. */
  Waiting?: number | undefined;
  /** The attempts of the last 24 hours: those that began in the current hour (UTC) or the 23 before. */
  Attempts?: number | undefined;
  /** How many of a hundred of these attempts succeeded, rounded down. 0 without attempts. */
  SuccessPercent?: number | undefined;
  /** The latest attempt, if it failed. */
  LastError?: EndpointErrorInput | undefined;
};

/** Whether an endpoint receives the events of a type. */
export type EndpointVerdict = {
  Endpoint: string;
  Name: string;
  Receives: boolean;
  /** inactive, not_subscribed, self_event, no_tenant, test_only or unknown_type; empty if it receives all of them. self_event means that it receives only the events about other endpoints. */
  Reason: string;
  /** The reason as a sentence. */
  Message: string;
};

/** One event type. */
export type EventType = {
  /** The name of the type, such as group.created. */
  Type: string;
  /** When the event occurs, in one sentence. */
  Description: string;
  /** JSON Schema (draft-07) of the body, as JSON text. */
  Schema: string;
  /** An example body, as JSON text. */
  Example: string;
};

/** The events to publish. */
export type Events_PublishBatchReq = {
  Tenant: string;
  Events: readonly ApplicationEventInput[];
};

/** A result for each event, in the order of the request. */
export type Events_PublishBatchRes = {
  Results: ApplicationEventResult[];
};

/** One event of an application. */
export type Events_PublishReq = {
  Tenant: string;
  /** The event's type, such as report.finished. The event families of the service itself are rejected. */
  Type: string;
  /** A JSON object in UTF-8, at most 64 KiB. It becomes the event's data, byte for byte. */
  Body: string;
  /** The caller's own identifier of this event. A second call with the same identifier within ten minutes publishes nothing and returns the first response. If empty, every call publishes. */
  ID?: string | undefined;
};

/** The event. */
export type Events_PublishRes = {
  /** The event's identifier. Receivers find it in the body and in the header webhook-id. */
  ID: string;
};

/** A second factor of a user. */
export type Factor = {
  ID: string;
  /** totp: an authenticator app. passkey: see Passkeys_List. */
  Kind: string;
  /** The name that the user gave it. */
  Name: string;
  CreatedAt?: string;
  /** The time of the last sign-in with the factor. Absent if it was never used. */
  LastUsedAt?: string;
};

/** The name of the new factor. */
export type Factors_BeginTotpReq = {
  Name: string;
};

/** The secret for the authenticator app. */
export type Factors_BeginTotpRes = {
  /** For Factors_ConfirmTotp. */
  FactorID: string;
  /** In Base32, to type into the app. SHA-1, 6 digits, 30 seconds. */
  Secret: string;
  /** The otpauth:// address of the secret, to show as a QR code. */
  URI: string;
};

/** The factor and a code of its app. */
export type Factors_ConfirmTotpReq = {
  FactorID: string;
  /** Six digits. */
  Code: string;
};

/** The new factor. */
export type Factors_ConfirmTotpRes = {
  Factor: Factor;
};

/** Empty: the operation is about the caller. */
export type Factors_ListReq = Record<string, never>;

/** The caller's factors, oldest first. */
export type Factors_ListRes = {
  Factors: Factor[];
  /** The number of unused recovery codes. */
  RecoveryCodesLeft: number;
};

/** Selects one of the caller's factors. */
export type Factors_RemoveReq = {
  ID: string;
};

/** Empty: the caller does not have the factor. */
export type Factors_RemoveRes = Record<string, never>;

/** An endpoint whose deliveries fail. */
export type FailingEndpoint = {
  Tenant: string;
  /** The ID of the webhook or chat endpoint. */
  Endpoint: string;
  Name: string;
  /** The first failure since the last success. */
  FailingSince?: string;
  /** Nothing is sent before this time. Absent if the endpoint is not paused. */
  PausedUntil?: string;
  /** The tasks that wait for it, without dead letters. */
  Waiting: number;
  DeadLetters: number;
  /** The error of the last attempt. */
  Error: string;
  /** The HTTP status of the last attempt. 0 if there was no answer. */
  StatusCode: number;
};

/** A role granted to a user. */
export type Grant = {
  ID: string;
  /** Required unless Platform is true. */
  Tenant: string;
  UserID: string;
  /** The role's slug. */
  Role: string;
  /** The application's own name of the resource that the grant is limited to. Empty means the whole tenant. */
  Resource: string;
  /** When the grant expires. If absent, it never expires. */
  ExpiresAt?: string;
  /** The user or bot that granted it. */
  CreatedBy: string;
  CreatedAt?: string;
  /** True for a grant on the platform, which applies in every tenant. Send it without Tenant. */
  Platform: boolean;
};

/** A role granted to a user. */
export type GrantInput = {
  ID?: string | undefined;
  /** Required unless Platform is true. */
  Tenant?: string | undefined;
  UserID: string;
  /** The role's slug. */
  Role: string;
  /** The application's own name of the resource that the grant is limited to. Empty means the whole tenant. */
  Resource?: string | undefined;
  /** When the grant expires. If absent, it never expires. */
  ExpiresAt?: string | undefined;
  /** The user or bot that granted it. */
  CreatedBy?: string | undefined;
  CreatedAt?: string | undefined;
  /** True for a grant on the platform, which applies in every tenant. Send it without Tenant. */
  Platform?: boolean | undefined;
};

/** One page of grants to users. */
export type GrantPage = {
  Items: Grant[];
  NextCursor: string;
};

/** The grant to add. */
export type Grants_AddReq = {
  Grant: GrantInput;
  /** Why the caller grants a role on the platform: it is in the audit, and the operators (at most 50) read it in a mail. */
  Reason?: string | undefined;
};

/** Empty: the grant is in place. */
export type Grants_AddRes = Record<string, never>;

/** Selects a tenant, a user, a role and a page. */
export type Grants_ListByTenantReq = {
  /** Required unless Platform is true. */
  Tenant?: string | undefined;
  Page?: PageReq | undefined;
  /** True to list the grants on the platform. Send it without Tenant. */
  Platform?: boolean | undefined;
  /** Whether to include the active grants on the platform, which apply in the tenant too. They have Platform set to true and no CreatedBy. */
  IncludePlatform?: boolean | undefined;
  /** Only the grants of this user. */
  UserID?: string | undefined;
  /** The slug of a role: only its grants. Empty selects the grants of all roles. */
  Role?: string | undefined;
};

/** A page of grants. */
export type Grants_ListByTenantRes = {
  Page: GrantPage;
};

/** Selects a user and a page. */
export type Grants_ListReq = {
  UserID: string;
  Page?: PageReq | undefined;
};

/** A page of grants. */
export type Grants_ListRes = {
  Page: GrantPage;
};

/** The grant to revoke. Only Tenant, Platform, UserID, Role and Resource are used. */
export type Grants_RemoveReq = {
  Grant: GrantInput;
};

/** Empty: the grant is revoked. */
export type Grants_RemoveRes = Record<string, never>;

/** A group. */
export type Group = {
  ID: string;
  Tenant: string;
  /** The place of the group in the hierarchy, such as eng/backend. Paths ignore letter case and a leading "/". */
  Path: string;
  Name: string;
  Description: string;
  /** The group's ID in another system. */
  ExternalID: string;
  /** The origin of the group. */
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
  /** The application's own name of the resource that the grant is limited to. Empty means the whole tenant. */
  Resource: string;
  /** When the grant expires. If absent, it never expires. */
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
  /** The application's own name of the resource that the grant is limited to. Empty means the whole tenant. */
  Resource?: string | undefined;
  /** When the grant expires. If absent, it never expires. */
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

/** The grant to add. */
export type GroupGrants_AddReq = {
  Grant: GroupGrantInput;
};

/** Empty: the grant is in place. */
export type GroupGrants_AddRes = Record<string, never>;

/** Selects a tenant, a group, a role and a page. */
export type GroupGrants_ListByTenantReq = {
  Tenant: string;
  Page?: PageReq | undefined;
  /** The path of a group: only its own grants, and not those of the groups above it. */
  Group?: string | undefined;
  /** The slug of a role: only its grants. Empty selects the grants of all roles. */
  Role?: string | undefined;
};

/** A page of grants. */
export type GroupGrants_ListByTenantRes = {
  Page: GroupGrantPage;
};

/** The grant to revoke. Only Tenant, Group, Role and Resource are used. */
export type GroupGrants_RemoveReq = {
  Grant: GroupGrantInput;
};

/** Empty: the grant is revoked. */
export type GroupGrants_RemoveRes = Record<string, never>;

/** A group. */
export type GroupInput = {
  ID?: string | undefined;
  Tenant: string;
  /** The place of the group in the hierarchy, such as eng/backend. Paths ignore letter case and a leading "/". */
  Path: string;
  Name?: string | undefined;
  Description?: string | undefined;
  /** The group's ID in another system. */
  ExternalID?: string | undefined;
  /** The origin of the group. */
  Source?: string | undefined;
  Metadata?: Readonly<Record<string, string>> | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
};

/** Maps one group of the provider to a group, to a role in the whole tenant, or to both. */
export type GroupMapping = {
  /** The group's name or ID at the provider. It must match exactly. */
  Value: string;
  /** The path of a group. */
  Group: string;
  /** The slug of a role. */
  Role: string;
};

/** Maps one group of the provider to a group, to a role in the whole tenant, or to both. */
export type GroupMappingInput = {
  /** The group's name or ID at the provider. It must match exactly. */
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

/** The group, and the user to add. */
export type Groups_AddMemberReq = {
  Tenant: string;
  /** The group's path. */
  Group: string;
  UserID: string;
};

/** Empty: the user is in the group. */
export type Groups_AddMemberRes = Record<string, never>;

/** Selects one group. */
export type Groups_DeleteReq = {
  Tenant: string;
  Path: string;
};

/** Empty: the group is deleted. */
export type Groups_DeleteRes = Record<string, never>;

/** Selects one group. */
export type Groups_GetReq = {
  Tenant: string;
  Path: string;
};

/** The group, or null. */
export type Groups_GetRes = {
  Group: Group | null;
};

/** Selects a tenant and a page. */
export type Groups_ListByTenantReq = {
  Tenant: string;
  Page?: PageReq | undefined;
  /** A part of the name or path, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name, of its last word, of the path or of its last part. No character is a wildcard. Empty selects all groups. */
  Query?: string | undefined;
  /** Groups created at or after this time. */
  From?: string | undefined;
  /** Groups created before this time. */
  To?: string | undefined;
  /** The order: name, path or created. Empty means by ID. */
  Sort?: string | undefined;
  /** Reverses the order. */
  Descending?: boolean | undefined;
};

/** A page of groups. */
export type Groups_ListByTenantRes = {
  Page: GroupPage;
};

/** Selects a user and a page. */
export type Groups_ListMemberGroupsReq = {
  UserID: string;
  Page?: PageReq | undefined;
  /** Whether to include the parent groups of the user's groups. */
  Effective?: boolean | undefined;
};

/** A page of groups. */
export type Groups_ListMemberGroupsRes = {
  Page: GroupPage;
};

/** Selects a group and a page. */
export type Groups_ListMembersReq = {
  Tenant: string;
  /** The group's path. */
  Group: string;
  Page?: PageReq | undefined;
  /** Whether to include the members of the groups below this one. */
  Effective?: boolean | undefined;
  /** A part of the user's name or address, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name, of its last word or of the address. No character is a wildcard. Empty selects all members. Requires iam.users.read. */
  Query?: string | undefined;
  /** The order: name or email, which require iam.users.read. Empty means by ID. */
  Sort?: string | undefined;
  /** Reverses the order. */
  Descending?: boolean | undefined;
};

/** A page of user ids. */
export type Groups_ListMembersRes = {
  Page: UserIdPage;
};

/** Selects a tenant and a page. */
export type Groups_ListReq = {
  Tenant: string;
  Page?: PageReq | undefined;
  /** A part of the name or path, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name, of its last word, of the path or of its last part. No character is a wildcard. Empty selects all groups. */
  Query?: string | undefined;
  /** Groups created at or after this time. */
  From?: string | undefined;
  /** Groups created before this time. */
  To?: string | undefined;
  /** The order: name, path or created. Empty means by ID. */
  Sort?: string | undefined;
  /** Reverses the order. */
  Descending?: boolean | undefined;
};

/** A page of groups. */
export type Groups_ListRes = {
  Page: GroupPage;
};

/** The group, and the user to remove. */
export type Groups_RemoveMemberReq = {
  Tenant: string;
  /** The group's path. */
  Group: string;
  UserID: string;
};

/** Empty: the user is not in the group. */
export type Groups_RemoveMemberRes = Record<string, never>;

/** The group to create or update. An absent field keeps its stored value; a field that is sent replaces it, so "", [] and {} clear it. */
export type Groups_SaveReq = {
  Group: GroupInput;
  /** Save only if the stored group's UpdatedAt equals this time; otherwise fails with failed_precondition. */
  IfUpdatedAt?: string | undefined;
};

/** Empty: the group is saved. */
export type Groups_SaveRes = Record<string, never>;

/** The counts of one hour. */
export type HourCount = {
  Start?: string;
  Count: number;
};

/** A user's identity at an identity provider. */
export type Identity = {
  Tenant: string;
  /** The provider's ID. */
  Provider: string;
  UserID: string;
  /** The provider's issuer, and the user's subject there. */
  Issuer: string;
  Subject: string;
  /** The address that the provider asserted when the identity was linked. */
  Email: string;
  CreatedAt?: string;
  LastUsedAt?: string;
  /** Whether the sessions that it opens hold rights in Tenant only. Users_ConfirmIdentity ends the limit. */
  Limited: boolean;
};

/** One page of identities. */
export type IdentityPage = {
  Items: Identity[];
  NextCursor: string;
};

/** The result for one user. */
export type ImportVerdict = {
  /** created, existing, failed or skipped. skipped: the user has no faults, but another one has, in a call that imports all or none. A dry run gives the result that the call would have. */
  Result: string;
  ExternalID: string;
  Email: string;
  /** Empty if the user does not exist. */
  UserID: string;
  /** Why the user failed, as in an ErrorResponse. Fields are those of the user. With several Messages, Code, Reason and Params are about the first. */
  Code: string;
  Messages: string[];
  Reason: string;
  Params: Record<string, string>;
  /** With the code invalid_argument: one entry for each of Messages, in their order. */
  Problems: Problem[];
};

/** A membership of an imported user. */
export type ImportedMembershipInput = {
  Tenant: string;
  /** The roles of the new member. Empty means the tenant's default role. */
  Roles?: readonly string[] | undefined;
  /** The paths of the member's groups, which must exist. */
  Groups?: readonly string[] | undefined;
};

/** A user of another system. */
export type ImportedUserInput = {
  Email: string;
  /** Whether the other system has verified the address. If it has not, the password hash is not stored: the user resets the password with a mail, which verifies the address. */
  EmailVerified?: boolean | undefined;
  Name?: string | undefined;
  GivenName?: string | undefined;
  FamilyName?: string | undefined;
  Picture?: string | undefined;
  Locale?: string | undefined;
  /** The user's ID in the other system. It says whether the user was imported before. If it is empty, the address does. */
  ExternalID?: string | undefined;
  Metadata?: Readonly<Record<string, string>> | undefined;
  /** The hash of the user's password: argon2id, argon2i, bcrypt, scrypt, PBKDF2, SHA-256-crypt, SHA-512-crypt or phpass, in the forms that docs/moving-in.md lists. The first sign-in replaces it. MD5, SHA-1 and SHA-2 are stored inside argon2id. */
  PasswordHash?: string | undefined;
  Tenants?: readonly ImportedMembershipInput[] | undefined;
};

/** A key that wraps data keys. */
export type KeyEncryptionKey = {
  /** The name of a key in the key ring, or vault:<mount>/<key>:v<version> for a key in Vault. */
  ID: string;
  /** True for the key that wraps new data keys. */
  Current: boolean;
  /** Whether the key is available. Data keys that an unavailable key wraps cannot be used. */
  Available: boolean;
  /** The number of data keys that it wraps. */
  DataKeys: number;
  /** True if no data key needs it any longer. */
  Removable: boolean;
};

/** Selects the data key to replace. */
export type Keys_RotateReq = {
  /** Empty replaces the data keys of all tenants and of the platform. */
  Tenant?: string | undefined;
  /** Also removes the keys that sign tokens at once, for a key that has leaked: new ones sign, and with the reply no token of the old ones opens an operation. Sessions and refresh tokens stay valid. Without it the old keys stay valid until their tokens have expired. */
  WithdrawSigningKeys?: boolean | undefined;
};

/** The completed or queued work. */
export type Keys_RotateRes = {
  /** The tenant's new data key. Empty if the data keys of all tenants are replaced. */
  DekID: string;
  /** The number of data keys that are replaced in the background. */
  Queued: number;
};

/** Selects the data keys to list. */
export type Keys_StatusReq = {
  /** Empty lists no data keys: the response then has only the totals. */
  Tenant?: string | undefined;
};

/** The keys in use. */
export type Keys_StatusRes = {
  /** The key-encryption keys that wrap data keys or can wrap them, sorted by name. */
  KeyEncryptionKeys: KeyEncryptionKey[];
  /** The number of data keys that the current key-encryption key does not wrap yet. */
  ToRewrap: number;
  /** The number of data keys that are still to be replaced. */
  ToReplace: number;
  /** The number of superseded data keys that may still encrypt records. */
  ToReseal: number;
  /** The tenant's data keys, oldest first. Empty without Tenant. */
  DataKeys: DataKey[];
};

/** A certificate of IdpCertificates that the provider's metadata no longer names. */
export type LeavingCertificate = {
  /** In PEM. */
  Certificate: string;
  /** SHA-256 in hexadecimal digits with colons. */
  Fingerprint: string;
  /** It is removed then, unless it is the last one. */
  EndsAt?: string;
};

/** A certificate of IdpCertificates that the provider's metadata no longer names. */
export type LeavingCertificateInput = {
  /** In PEM. */
  Certificate?: string | undefined;
  /** SHA-256 in hexadecimal digits with colons. */
  Fingerprint?: string | undefined;
  /** It is removed then, unless it is the last one. */
  EndsAt?: string | undefined;
};

/** A membership in a list of a tenant's members: a TenantMember, and its user on request. */
export type ListedMember = {
  Tenant: string;
  UserID: string;
  /** active, pending or disabled. pending: added, but not accepted by the user yet. */
  Status: string;
  /** creator, invitation, sso, admin or scim. */
  Source: string;
  /** Absent if the membership is pending. */
  JoinedAt?: string;
  /** Present with WithNames. Absent for users who have not accepted, have left or are deleted. */
  User?: ListedMemberUser;
};

/** One page of members. */
export type ListedMemberPage = {
  Items: ListedMember[];
  NextCursor: string;
};

/** The name and the address of a member. */
export type ListedMemberUser = {
  Name: string;
  Email: string;
};

/** The effect of a lock, with a row for each holder. No state says more than is known: an app that has taken the logout may still keep a session. */
export type LockReceipt = {
  ID: string;
  /** The user, bot or app. */
  Subject: string;
  /** The reason of the call. Empty in a tenant's view of a user. */
  Reason: string;
  /** The user or bot that locked; platform for the platform key. Empty in a tenant's view of a user. */
  By: string;
  /** When it was locked. What began in the moments after, before every cache had dropped it, has ended with the lock too, or has a row. */
  At?: string;
  /** Whether none of these rows changes any more. */
  Final: boolean;
  /** When the subject was restored, or locked a second time. Absent while the lock holds, and for apps. */
  LiftedAt?: string;
  Rows: LockReceiptRow[];
  /** The tenant whose part of the receipt of a user this is. Empty for the whole receipt. */
  Tenant: string;
};

/** A holder of something that the lock ends. */
export type LockReceiptRow = {
  /** The process, app or record. */
  Holder: string;
  /** cache (of our processes), changes (that one of our processes was about to commit), session (that an app may keep), token (access tokens that an app or bot holds), or bot or app (that the user made). */
  Kind: string;
  /** The name of the app, bot or process. Empty if it is not known. */
  Name: string;
  /** The tenant of the app or bot. Empty for our own processes, and for an app of the platform. */
  Tenant: string;
  /** dropped: the process has said that it dropped the entries, and each of its followers has said so, or its lease is over: Detail counts those. ends: nothing of it is valid after EndsAt. accepted: the app took the logout, and may have kept its session. waiting: the logout is under way. failed: the app did not take the logout, and no attempt follows. unknown: the app may keep a session of its own, and has no address for logouts or was not reached. kept: the user made it; a lock does not end it. */
  State: string;
  /** When the state was reached. */
  At?: string;
  /** With ends: when the last access token that can exist is not valid any more, with 60 seconds for clocks, or when the lease of a process was over. */
  EndsAt?: string;
  /** Further facts about the state, such as an app's answer. */
  Detail: string;
  /** The session that the app may keep. */
  SessionID: string;
  /** How many followers of the process have said that they dropped their entries. */
  Followers: number;
};

/** Selects a receipt. */
export type LockReceipts_GetReq = {
  ID: string;
  /** Empty for the whole receipt, for operators of the platform. */
  Tenant?: string | undefined;
};

/** The receipt. */
export type LockReceipts_GetRes = {
  Receipt: LockReceipt;
  /** Once the receipt is final, the same receipt as a JWS in compact form, signed with a key of the issuer: typ is lock-receipt+jwt, and the claim receipt has the record. Empty before, and while the issuer cannot be reached. */
  Signed: string;
};

/** The suppression of an address. The address itself is not stored. */
export type MailSuppression = {
  /** The status code of the mail server's rejection, such as 550. */
  StatusCode: number;
  CreatedAt?: string;
  /** 30 days after the rejection. */
  ExpiresAt?: string;
};

/** The address. */
export type Mail_DeleteSuppressionReq = {
  Email: string;
};

/** Empty: the address is not suppressed. */
export type Mail_DeleteSuppressionRes = Record<string, never>;

/** The address. */
export type Mail_GetSuppressionReq = {
  Email: string;
};

/** The suppression of the address. */
export type Mail_GetSuppressionRes = {
  Suppression: MailSuppression;
};

/** The members of a tenant by status. */
export type MemberCounts = {
  Active?: Count;
  Disabled?: Count;
};

/** The token of the link. */
export type Operators_ClaimReq = {
  Token: string;
};

/** Empty: the caller is an operator. */
export type Operators_ClaimRes = Record<string, never>;

/** Selects one page of a list. */
export type PageReq = {
  /** The number of items: 0 means 50, and values above 200 mean 200. */
  Limit?: number | undefined;
  /** The NextCursor of the previous page. Empty means the first page. */
  Cursor?: string | undefined;
};

/** A passkey of a user. */
export type Passkey = {
  ID: string;
  /** The user's own name for it. */
  Name: string;
  /** Whether it can be copied to other devices of the user. */
  BackupEligible: boolean;
  /** Whether it was copied, at its last use. */
  BackedUp: boolean;
  /** How browsers reach it: internal, hybrid, usb, nfc, ble or others. */
  Transports: string[];
  /** The model of the authenticator (AAGUID). Zeros if it does not say. */
  AAGUID: string;
  CreatedAt?: string;
  /** Absent before the first sign-in with it. */
  LastUsedAt?: string;
};

/** One page of passkeys. */
export type PasskeyPage = {
  Items: Passkey[];
  NextCursor: string;
};

/** Empty: the passkey is for the caller. */
export type Passkeys_BeginRegistrationReq = Record<string, never>;

/** The options for the browser. */
export type Passkeys_BeginRegistrationRes = {
  /** PublicKeyCredentialCreationOptionsJSON (WebAuthn) as JSON text. */
  Options: string;
};

/** The passkey to delete. */
export type Passkeys_DeleteReq = {
  ID: string;
};

/** Empty: the passkey is deleted. */
export type Passkeys_DeleteRes = Record<string, never>;

/** The new passkey. */
export type Passkeys_FinishRegistrationReq = {
  /** RegistrationResponseJSON (WebAuthn) as JSON text: JSON.stringify of the browser's credential. */
  Credential: string;
  /** The user's own name for it, such as "Laptop". */
  Name: string;
};

/** The passkey as stored. */
export type Passkeys_FinishRegistrationRes = {
  Passkey: Passkey;
};

/** A page of the caller's passkeys. */
export type Passkeys_ListReq = {
  Page?: PageReq | undefined;
};

/** The page. */
export type Passkeys_ListRes = {
  Page: PasskeyPage;
};

/** The passkey and its new name. */
export type Passkeys_RenameReq = {
  ID: string;
  Name: string;
};

/** The passkey as stored. */
export type Passkeys_RenameRes = {
  Passkey: Passkey;
};

/** A certificate that a provider's metadata names and that does not count yet. */
export type PendingCertificate = {
  /** In PEM. */
  Certificate: string;
  /** SHA-256 in hexadecimal digits with colons, to compare with the one at the provider. */
  Fingerprint: string;
  ExpiresAt?: string;
  FoundAt?: string;
  /** From then on sign-ins may be signed with it. Absent while it waits for an administrator. */
  CountsAt?: string;
};

/** A certificate that a provider's metadata names and that does not count yet. */
export type PendingCertificateInput = {
  /** In PEM. */
  Certificate?: string | undefined;
  /** SHA-256 in hexadecimal digits with colons, to compare with the one at the provider. */
  Fingerprint?: string | undefined;
  ExpiresAt?: string | undefined;
  FoundAt?: string | undefined;
  /** From then on sign-ins may be signed with it. Absent while it waits for an administrator. */
  CountsAt?: string | undefined;
};

/** One of Bailiwick's own permissions. */
export type Permission = {
  Name: string;
  /** A one-line description. */
  Description: string;
  /** The operations that require it. */
  Operations: string[];
};

/** The result of one check. */
export type PermissionAnswer = {
  Permission: string;
  Resource: string;
  Allowed: boolean;
};

/** A permission that a user or bot would gain or lose. */
export type PermissionChange = {
  /** The user or bot. */
  Subject: string;
  Permission: string;
  /** Empty means the whole tenant. */
  Resource: string;
};

/** One question: a permission, optionally on one resource. */
export type PermissionCheckInput = {
  Permission: string;
  /** The application's own name of a resource. Empty means the whole tenant. */
  Resource?: string | undefined;
};

/** One page of permissions. */
export type PermissionPage = {
  Items: Permission[];
  NextCursor: string;
};

/** One planned change: the request of exactly one operation. */
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
  Groups_Save?: Groups_SaveReq | undefined;
};

/** Why a planned change would be refused, as in an ErrorResponse. */
export type PlannedRefusal = {
  /** The place of the change in the request. */
  Index: number;
  Code: string;
  Messages: string[];
  Reason: string;
  Params: Record<string, string>;
  /** With the code invalid_argument: one entry for each of Messages, in their order. */
  Problems: Problem[];
};

/** The endpoint of a link, as its receiver may see it. */
export type PortalEndpoint = {
  ID: string;
  Name: string;
  /** The URL. The values of its query and the long segments of its path are masked, since they may be secrets. */
  URL: string;
  Active: boolean;
  /** Why the service disabled the endpoint. Empty if the service did not disable it. */
  DisabledReason: string;
  DisabledAt?: string;
  /** The event types that it receives. Empty means all. */
  EventTypes: string[];
  /** The previous secret also signs until this time. Absent if there is no previous secret. */
  PreviousSecretUntil?: string;
  /** Since when no delivery has succeeded. Absent if the latest one did. */
  FailingSince?: string;
  /** Nothing is sent before this time. Absent if deliveries are not paused. */
  PausedUntil?: string;
  Health?: EndpointHealth;
};

/** Empty: it is about the caller's session. */
export type Portal_CloseReq = Record<string, never>;

/** Empty: the session has ended. */
export type Portal_CloseRes = Record<string, never>;

/** Selects an event. */
export type Portal_ExplainDeliveryReq = {
  /** The event's ID, which is the ID of its message and the header webhook-id. */
  Event: string;
};

/** The explanation. */
export type Portal_ExplainDeliveryRes = {
  EventType: string;
  /** When the event happened. */
  OccurredAt?: string;
  Delivery: DeliveryExplanation;
};

/** Selects a message. */
export type Portal_GetMessageReq = {
  /** The message's identifier: the ID of its attempts, and the header webhook-id. */
  MessageID: string;
};

/** The message. */
export type Portal_GetMessageRes = {
  Message: DeliveryMessage;
};

/** Empty: it is about the endpoint of the link. */
export type Portal_GetReq = Record<string, never>;

/** The endpoint, and what the link can do. */
export type Portal_GetRes = {
  Endpoint: PortalEndpoint;
  /** The tenant, for its name and logo. */
  Tenant: string;
  /** What the link can do beyond the state and the log: bodies, replay, test, rotate. */
  Abilities: string[];
  /** When the link expires. */
  ExpiresAt?: string;
};

/** Selects a page and a filter. Empty fields do not restrict the list. */
export type Portal_ListAttemptsReq = {
  /** The result of the attempt. */
  Outcome?: string | undefined;
  EventType?: string | undefined;
  Page?: PageReq | undefined;
  /** Only the latest attempt of each message, so that a message is listed once. */
  Latest?: boolean | undefined;
};

/** A page of attempts. */
export type Portal_ListAttemptsRes = {
  Page: DeliveryAttemptPage;
};

/** The token of a link. */
export type Portal_OpenReq = {
  /** The fragment of the link. */
  Token: string;
};

/** The session. */
export type Portal_OpenRes = {
  /** The bearer token of the portal's operations. */
  Token: string;
  ExpiresAt?: string;
};

/** Empty: it is about all failed deliveries of the last 30 days. */
export type Portal_ReplayFailedReq = Record<string, never>;

/** The deliveries that were queued again. */
export type Portal_ReplayFailedRes = {
  Queued: number;
};

/** Selects a message. */
export type Portal_ResendReq = {
  /** The message's identifier: the ID of its attempts, and the header webhook-id. */
  MessageID: string;
  /** Makes the next attempt of a waiting message at once. It counts as one of the message's attempts. A pause that follows too many failed attempts ends, and one that the receiver asked for stays. Counts towards the limits of SendTest. */
  Now?: boolean | undefined;
};

/** Whether the message was queued again. */
export type Portal_ResendRes = {
  /** False if it was queued already, or if with Now the receiver asked for a pause. */
  Queued: boolean;
};

/** Sets the grace period of the current secret. */
export type Portal_RotateSecretReq = {
  /** How long the previous secret also signs, in seconds. If absent, 86400 (one day); 0 ends it at once; at most 604800 (one week). */
  GraceSeconds?: number | undefined;
};

/** The new signing secret, which is shown only once. */
export type Portal_RotateSecretRes = {
  /** The key of the X-Webhook-Signature header. */
  Secret: string;
  /** The previous secret also signs until this time. Absent if it does not. */
  PreviousSecretUntil?: string;
};

/** Empty: it is about the endpoint of the link. */
export type Portal_SendTestReq = Record<string, never>;

/** The result of the attempt. A test is not retried, so the status is never retry. */
export type Portal_SendTestRes = {
  Task: TaskResult;
};

/** A message of an invalid request, for programs. */
export type Problem = {
  /** The JSON path of the value, such as Users[0].Email. Empty if the message is about the whole request. */
  Field: string;
  /** The rule that the value fails, such as required or max_len: docs/api.md lists them. The rule custom has no name of its own. A newer server may send further rules. */
  Rule: string;
  /** The values that the message contains, by name, such as {"Max": "128"}. */
  Params: Record<string, string>;
};

/** A lane of the queue. */
export type QueueLane = {
  /** webhook, chat, logout, slow, replay or email. */
  Lane: string;
  /** How many seconds the oldest due task has waited. 0 if none waits. */
  AgeSeconds: number;
  /** The tasks that wait for their next attempt. */
  Waiting: number;
};

/** Empty: it is about the whole platform. */
export type Queues_StatusReq = Record<string, never>;

/** The state of the queue. */
export type Queues_StatusRes = {
  /** The lanes, in a fixed order. */
  Lanes: QueueLane[];
  /** The endpoints that fail, those that fail for the longest time first; at most 50. */
  FailingEndpoints: FailingEndpoint[];
  /** The dead letters of the last 30 days. */
  DeadLetters: number;
};

/** Empty: the operation is about the caller. */
export type RecoveryCodes_GenerateReq = Record<string, never>;

/** The new recovery codes. */
export type RecoveryCodes_GenerateRes = {
  /** Ten codes such as k7m2p-9xq4t. Case and hyphens do not matter. */
  Codes: string[];
};

/** A named set of permissions. */
export type Role = {
  ID: string;
  Tenant: string;
  /** The name of the role within its tenant. It never changes. */
  Slug: string;
  Name: string;
  Description: string;
  /** The permissions of the role, such as app.reports.read or app.reports.*; at most 200. Names that begin with iam. are Bailiwick's own. */
  Permissions: string[];
  /** True for a built-in role, which cannot be changed. */
  System: boolean;
  CreatedAt?: string;
  UpdatedAt?: string;
};

/** A named set of permissions. */
export type RoleInput = {
  ID?: string | undefined;
  Tenant: string;
  /** The name of the role within its tenant. It never changes. */
  Slug: string;
  Name?: string | undefined;
  Description?: string | undefined;
  /** The permissions of the role, such as app.reports.read or app.reports.*; at most 200. Names that begin with iam. are Bailiwick's own. */
  Permissions?: readonly string[] | undefined;
  /** True for a built-in role, which cannot be changed. */
  System?: boolean | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
};

/** One page of roles. */
export type RolePage = {
  Items: Role[];
  NextCursor: string;
};

/** Selects one role. */
export type Roles_DeleteReq = {
  Tenant: string;
  Slug: string;
};

/** Empty: the role is deleted. */
export type Roles_DeleteRes = Record<string, never>;

/** Selects one role. */
export type Roles_GetReq = {
  Tenant: string;
  Slug: string;
};

/** The role, or null. */
export type Roles_GetRes = {
  Role: Role | null;
};

/** Selects a tenant and a page. */
export type Roles_ListByTenantReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of roles. */
export type Roles_ListByTenantRes = {
  Page: RolePage;
};

/** Selects a tenant or the platform, and a page. */
export type Roles_ListPermissionsReq = {
  /** Required unless Platform is true. */
  Tenant?: string | undefined;
  Page?: PageReq | undefined;
  /** True to list the permissions of the platform. Send it without Tenant. */
  Platform?: boolean | undefined;
};

/** A page of permissions. */
export type Roles_ListPermissionsRes = {
  Page: PermissionPage;
};

/** Selects a tenant and a page. */
export type Roles_ListReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of roles. */
export type Roles_ListRes = {
  Page: RolePage;
};

/** The role to create or update. An absent field keeps its stored value; a field that is sent replaces it, so "", [] and {} clear it. */
export type Roles_SaveReq = {
  Role: RoleInput;
  /** Save only if the stored role's UpdatedAt equals this time; otherwise fails with failed_precondition. */
  IfUpdatedAt?: string | undefined;
};

/** Empty: the role is saved. */
export type Roles_SaveRes = Record<string, never>;

/** A part of a directory's requests that is not stored. */
export type ScimNotice = {
  ID: string;
  /** User or Group. */
  ResourceType: string;
  /** The name of the attribute, such as roles or urn:example:2.0:User:tag. Values are not kept. */
  Attribute: string;
  /** Why the value was refused. Empty if Bailiwick does not store the attribute. */
  Message: string;
  /** The SCIM ID of the resource whose value was refused. Empty if Message is. */
  ResourceID: string;
  /** When the directory sent it first. */
  FirstAt?: string;
  /** When the directory sent it last, to the hour. */
  LastAt?: string;
};

/** One page of notices. */
export type ScimNoticePage = {
  Items: ScimNotice[];
  NextCursor: string;
};

/** Selects a tenant and a page. */
export type Scim_ListNoticesReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of notices, in the order in which they were made. */
export type Scim_ListNoticesRes = {
  Page: ScimNoticePage;
};

/** A user's session. Its token is shown only once, in the response that creates it. */
export type Session = {
  ID: string;
  UserID: string;
  /** password, passkey, email_code, oidc, oauth or saml; support if an operator acts as the user. */
  AuthMethod: string;
  /** The ID of the identity provider. Empty if AuthMethod is password. With passkey, the provider in whose session the passkey was added. */
  Provider: string;
  IP: string;
  UserAgent: string;
  CreatedAt?: string;
  LastSeenAt?: string;
  ExpiresAt?: string;
  /** True for the session of this call. */
  Current: boolean;
  /** The ID of the only tenant in which the session holds rights, until Users_ConfirmIdentity confirms the identity that opened it. Empty if the session is not limited. */
  LimitedTo: string;
  /** All methods of the sign-in, AuthMethod first: then totp, recovery_code or passkey. */
  AuthMethods: string[];
  /** The assurance of the sign-in: aal1 (one factor), aal2 (two), or phishing_resistant (two that cannot be given to another site). */
  Assurance: string;
  /** The ID of the operator who acts as the user in this session (Support_Start). Empty in the user's own sessions. */
  Operator: string;
  /** Why the operator acts as the user. Empty in the user's own sessions. */
  Reason: string;
  /** In the event session.support_ended, why the support session ended: ended (by the operator), replaced, expired, permission_lost, operator_signed_out, user_ended, user_signed_out or tenant_suspended. Empty in all else. */
  EndCause: string;
};

/** One page of sessions. */
export type SessionPage = {
  Items: Session[];
  NextCursor: string;
};

/** Selects a page. */
export type Sessions_ListReq = {
  Page?: PageReq | undefined;
};

/** A page of sessions. */
export type Sessions_ListRes = {
  Page: SessionPage;
};

/** Empty: all of the caller's sessions end. */
export type Sessions_RevokeAllReq = Record<string, never>;

/** Empty: the caller is signed out everywhere. */
export type Sessions_RevokeAllRes = Record<string, never>;

/** Selects one session. */
export type Sessions_RevokeReq = {
  ID: string;
};

/** Empty: the session has ended. */
export type Sessions_RevokeRes = Record<string, never>;

/** A button of the sign-in page. */
export type SocialProvider = {
  /** The provider's ID, as sessions name it. */
  ID: string;
  /** The name on the button. */
  Name: string;
  Kind: string;
  /** The address that starts the sign-in in a browser. Add return_to to say where it leads. */
  LoginURL: string;
};

/** The result of one check. */
export type SsoFinding = {
  /** The name of the check, such as discovery or certificate. */
  Check: string;
  /** ok, warning or error. */
  Level: string;
  /** The finding, and how to fix it. */
  Message: string;
};

/** An identity provider of a tenant, or of the platform. */
export type SsoProvider = {
  /** Empty on save to create a new provider, unless Sso_ReserveProvider has returned an ID for it. */
  ID: string;
  /** Empty for a provider of the platform (social sign-in), which users of all tenants may use. */
  Tenant: string;
  /** oidc, saml or oauth (OAuth 2.0 with a user-info address). A tenant's is oidc or saml, and the platform's oidc or oauth. It never changes. If absent on update, the stored value is kept. */
  Kind: string;
  /** Required on create. If absent on update, the stored value is kept. */
  Name: string;
  /** If absent, a new provider is active, and an update keeps the stored value. */
  Active: boolean;
  /** OIDC: the issuer, exactly as the provider's configuration names it. OAuth: the URL that stands for the provider; users are identified by it and their subject. */
  Issuer: string;
  /** OIDC, OAuth: the client ID that the provider assigned. */
  ClientID: string;
  /** OIDC: the requested scopes besides openid. If absent, email and profile. OAuth: all requested scopes. */
  Scopes: string[];
  /** OIDC, OAuth: client_secret_basic, client_secret_post, client_secret_jwt, private_key_jwt or none. */
  TokenAuthMethod: string;
  /** OIDC: query or form_post. */
  ResponseMode: string;
  /** The data key that encrypts the secret and the private key. */
  DekID: string;
  /** Always empty in responses and events. If an event lists it in `previous`, the secret was replaced. */
  SecretEnc: string;
  /** SAML: the provider's entity ID. */
  IdpEntityID: string;
  /** SAML: the provider's single sign-on URL. */
  IdpSsoURL: string;
  /** SAML: the certificates the provider may sign with, in PEM or base64. During a key rollover there are two. */
  IdpCertificates: string[];
  /** SAML: how requests are sent: redirect or post. */
  RequestBinding: string;
  /** SAML: the service provider's entity ID, which is the URL of its metadata. */
  SpEntityID: string;
  /** SAML: the assertion consumer service URL, which receives the provider's responses. */
  AcsURL: string;
  /** SAML: the certificate that requests are signed with and that assertions may be encrypted to, in PEM. */
  SpCertificate: string;
  /** OIDC, OAuth: the redirect URI to register at the provider. */
  RedirectURI: string;
  /** SAML: whether unsolicited responses are accepted (IdP-initiated sign-in). They are open to login CSRF, so the default is false. */
  AllowIdpInitiated: boolean;
  /** Whether a user without an account gets one. If absent on create, true. */
  Jit: boolean;
  /** The roles of users who become members by signing in. Empty means the tenant's default role. */
  DefaultRoles: string[];
  /** Maps the provider's groups to groups and roles of the tenant. */
  GroupMappings: GroupMapping[];
  /** The claim or attribute for each property, if it is not the standard one (OAuth: the field of the user-info response, with sub as the standard Subject): keys are Subject, Email, EmailVerified, Name, GivenName, FamilyName, Picture, Locale and Groups. */
  AttributeMap: Record<string, string>;
  LastLoginAt?: string;
  /** Why the last sign-in failed. Empty after a successful one. */
  LastError: string;
  CreatedAt?: string;
  UpdatedAt?: string;
  /** google, microsoft, apple (OIDC) or github (OAuth): sets the fields that the request of a new provider leaves out. It never changes. */
  Preset: string;
  /** OAuth: where the browser is sent. */
  AuthorizationURL: string;
  /** OAuth: exchanges the code for an access token. */
  TokenURL: string;
  /** OAuth: returns the user as a JSON object. */
  UserinfoURL: string;
  /** OAuth: returns the user's addresses as a JSON array of {email, primary, verified}. The primary one counts. If empty, the user-info response has the address. */
  EmailsURL: string;
  /** OIDC, SAML: the assurance of a value of acr or amr, or of an AuthnContextClassRef: aal1, aal2 or phishing_resistant. The best value of a sign-in counts, and other values prove aal1. If empty, the usual values count. Not for a provider of the platform. */
  AssuranceMap: Record<string, string>;
  /** Preset apple: the ID of the private key that signs the client secrets. */
  KeyID: string;
  /** Preset apple: the ID of the team that owns the key. */
  TeamID: string;
  /** Whether the last change of the identifying settings awaits a confirmation: see Sso_ConfirmProvider. */
  Unconfirmed: boolean;
  /** The user or bot that made this change. Empty for changes of earlier versions. */
  SavedBy: string;
  /** The user or bot that confirmed it, or made it with the right to. Empty while it is unconfirmed, and for changes of earlier versions, which count as confirmed. */
  ConfirmedBy: string;
  /** What becomes of the roles and groups of GroupMappings when a sign-in has no groups claim: remove (the default) revokes them, keep keeps them for 30 days after the provider stated them last. An answer that says that the groups are elsewhere always keeps them so long. */
  AbsentGroups: string;
  /** What administrators should know of sign-ins that succeeded, such as missing groups. Empty after a change of the provider. */
  LastWarning: string;
  LastWarningAt?: string;
  /** SAML: whether our metadata asks for encrypted assertions, by naming our encryption key. Encrypted assertions are accepted in any case. */
  WantEncrypted: boolean;
  /** SAML: the URL of the provider's metadata, which is read daily for new certificates. A URL other than the stored one is fetched at once, and "" ends the reading. */
  MetadataURL: string;
  /** SAML: what becomes of a new certificate in the metadata at MetadataURL: auto (the default) lets it count 24 hours after it was found, ask lets it wait for an administrator. */
  CertificateChanges: string;
  /** SAML: new certificates in the metadata that do not count yet. */
  PendingCertificates: PendingCertificate[];
  /** SAML: certificates that the metadata no longer names. */
  LeavingCertificates: LeavingCertificate[];
  /** SAML: when the metadata at MetadataURL was last read. */
  MetadataReadAt?: string;
  /** SAML: why the metadata could not be read since. Empty after it was read. */
  MetadataError: string;
  /** SAML: when the last of the certificates that count expires. */
  CertificatesExpireAt?: string;
};

/** An identity provider of a tenant, or of the platform. */
export type SsoProviderInput = {
  /** Empty on save to create a new provider, unless Sso_ReserveProvider has returned an ID for it. */
  ID?: string | undefined;
  /** Empty for a provider of the platform (social sign-in), which users of all tenants may use. */
  Tenant?: string | undefined;
  /** oidc, saml or oauth (OAuth 2.0 with a user-info address). A tenant's is oidc or saml, and the platform's oidc or oauth. It never changes. If absent on update, the stored value is kept. */
  Kind?: string | undefined;
  /** Required on create. If absent on update, the stored value is kept. */
  Name?: string | undefined;
  /** If absent, a new provider is active, and an update keeps the stored value. */
  Active?: boolean | undefined;
  /** OIDC: the issuer, exactly as the provider's configuration names it. OAuth: the URL that stands for the provider; users are identified by it and their subject. */
  Issuer?: string | undefined;
  /** OIDC, OAuth: the client ID that the provider assigned. */
  ClientID?: string | undefined;
  /** OIDC: the requested scopes besides openid. If absent, email and profile. OAuth: all requested scopes. */
  Scopes?: readonly string[] | undefined;
  /** OIDC, OAuth: client_secret_basic, client_secret_post, client_secret_jwt, private_key_jwt or none. */
  TokenAuthMethod?: string | undefined;
  /** OIDC: query or form_post. */
  ResponseMode?: string | undefined;
  /** The data key that encrypts the secret and the private key. */
  DekID?: string | undefined;
  /** Always empty in responses and events. If an event lists it in `previous`, the secret was replaced. */
  SecretEnc?: string | undefined;
  /** SAML: the provider's entity ID. */
  IdpEntityID?: string | undefined;
  /** SAML: the provider's single sign-on URL. */
  IdpSsoURL?: string | undefined;
  /** SAML: the certificates the provider may sign with, in PEM or base64. During a key rollover there are two. */
  IdpCertificates?: readonly string[] | undefined;
  /** SAML: how requests are sent: redirect or post. */
  RequestBinding?: string | undefined;
  /** SAML: the service provider's entity ID, which is the URL of its metadata. */
  SpEntityID?: string | undefined;
  /** SAML: the assertion consumer service URL, which receives the provider's responses. */
  AcsURL?: string | undefined;
  /** SAML: the certificate that requests are signed with and that assertions may be encrypted to, in PEM. */
  SpCertificate?: string | undefined;
  /** OIDC, OAuth: the redirect URI to register at the provider. */
  RedirectURI?: string | undefined;
  /** SAML: whether unsolicited responses are accepted (IdP-initiated sign-in). They are open to login CSRF, so the default is false. */
  AllowIdpInitiated?: boolean | undefined;
  /** Whether a user without an account gets one. If absent on create, true. */
  Jit?: boolean | undefined;
  /** The roles of users who become members by signing in. Empty means the tenant's default role. */
  DefaultRoles?: readonly string[] | undefined;
  /** Maps the provider's groups to groups and roles of the tenant. */
  GroupMappings?: readonly GroupMappingInput[] | undefined;
  /** The claim or attribute for each property, if it is not the standard one (OAuth: the field of the user-info response, with sub as the standard Subject): keys are Subject, Email, EmailVerified, Name, GivenName, FamilyName, Picture, Locale and Groups. */
  AttributeMap?: Readonly<Record<string, string>> | undefined;
  LastLoginAt?: string | undefined;
  /** Why the last sign-in failed. Empty after a successful one. */
  LastError?: string | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
  /** google, microsoft, apple (OIDC) or github (OAuth): sets the fields that the request of a new provider leaves out. It never changes. */
  Preset?: string | undefined;
  /** OAuth: where the browser is sent. */
  AuthorizationURL?: string | undefined;
  /** OAuth: exchanges the code for an access token. */
  TokenURL?: string | undefined;
  /** OAuth: returns the user as a JSON object. */
  UserinfoURL?: string | undefined;
  /** OAuth: returns the user's addresses as a JSON array of {email, primary, verified}. The primary one counts. If empty, the user-info response has the address. */
  EmailsURL?: string | undefined;
  /** OIDC, SAML: the assurance of a value of acr or amr, or of an AuthnContextClassRef: aal1, aal2 or phishing_resistant. The best value of a sign-in counts, and other values prove aal1. If empty, the usual values count. Not for a provider of the platform. */
  AssuranceMap?: Readonly<Record<string, string>> | undefined;
  /** Preset apple: the ID of the private key that signs the client secrets. */
  KeyID?: string | undefined;
  /** Preset apple: the ID of the team that owns the key. */
  TeamID?: string | undefined;
  /** Whether the last change of the identifying settings awaits a confirmation: see Sso_ConfirmProvider. */
  Unconfirmed?: boolean | undefined;
  /** The user or bot that made this change. Empty for changes of earlier versions. */
  SavedBy?: string | undefined;
  /** The user or bot that confirmed it, or made it with the right to. Empty while it is unconfirmed, and for changes of earlier versions, which count as confirmed. */
  ConfirmedBy?: string | undefined;
  /** What becomes of the roles and groups of GroupMappings when a sign-in has no groups claim: remove (the default) revokes them, keep keeps them for 30 days after the provider stated them last. An answer that says that the groups are elsewhere always keeps them so long. */
  AbsentGroups?: string | undefined;
  /** What administrators should know of sign-ins that succeeded, such as missing groups. Empty after a change of the provider. */
  LastWarning?: string | undefined;
  LastWarningAt?: string | undefined;
  /** SAML: whether our metadata asks for encrypted assertions, by naming our encryption key. Encrypted assertions are accepted in any case. */
  WantEncrypted?: boolean | undefined;
  /** SAML: the URL of the provider's metadata, which is read daily for new certificates. A URL other than the stored one is fetched at once, and "" ends the reading. */
  MetadataURL?: string | undefined;
  /** SAML: what becomes of a new certificate in the metadata at MetadataURL: auto (the default) lets it count 24 hours after it was found, ask lets it wait for an administrator. */
  CertificateChanges?: string | undefined;
  /** SAML: new certificates in the metadata that do not count yet. */
  PendingCertificates?: readonly PendingCertificateInput[] | undefined;
  /** SAML: certificates that the metadata no longer names. */
  LeavingCertificates?: readonly LeavingCertificateInput[] | undefined;
  /** SAML: when the metadata at MetadataURL was last read. */
  MetadataReadAt?: string | undefined;
  /** SAML: why the metadata could not be read since. Empty after it was read. */
  MetadataError?: string | undefined;
  /** SAML: when the last of the certificates that count expires. */
  CertificatesExpireAt?: string | undefined;
};

/** One page of providers. */
export type SsoProviderPage = {
  Items: SsoProvider[];
  NextCursor: string;
};

/** The ID of a provider that is to be saved, and its addresses. */
export type SsoReservation = {
  ID: string;
  /** The redirect URI of an oidc or oauth provider. */
  RedirectURI: string;
  /** The assertion consumer service of a saml provider. */
  AcsURL: string;
  /** The entity ID of a saml provider. It is the address of the metadata, which exist once the provider is saved. */
  SpEntityID: string;
};

/** The address of the user who wants to sign in. */
export type Sso_CheckReq = {
  Email: string;
};

/** The result of the check. */
export type Sso_CheckRes = {
  /** The URL of the provider's login route. Empty means sign in with a password. */
  Redirect: string;
};

/** Selects one of the PendingCertificates of a provider. */
export type Sso_ConfirmCertificateReq = {
  Tenant: string;
  ID: string;
  /** The certificate's Fingerprint. */
  Fingerprint: string;
  /** The UpdatedAt of the provider that the caller has checked. Fails with failed_precondition if the provider was changed since. */
  IfUpdatedAt: string;
};

/** The provider with the certificate. */
export type Sso_ConfirmCertificateRes = {
  Provider: SsoProvider;
};

/** Selects one provider. */
export type Sso_ConfirmProviderReq = {
  /** Empty for the providers of the platform. */
  Tenant?: string | undefined;
  ID: string;
  /** The UpdatedAt of the provider that the caller has checked. Fails with failed_precondition if the provider was changed since. */
  IfUpdatedAt: string;
};

/** The confirmed provider. */
export type Sso_ConfirmProviderRes = {
  Provider: SsoProvider;
};

/** Selects a tenant. */
export type Sso_CreateRecoveryCodesReq = {
  Tenant: string;
};

/** The codes, which no later call returns. */
export type Sso_CreateRecoveryCodesRes = {
  /** Eight codes such as k7m2p-9xq4t-3hj6w-b8nvz. Case and hyphens do not matter. */
  Codes: string[];
};

/** Selects one provider. */
export type Sso_DeleteProviderReq = {
  /** Empty for the providers of the platform. */
  Tenant?: string | undefined;
  ID: string;
};

/** Empty: the provider is deleted, and the sessions that it opened have ended. */
export type Sso_DeleteProviderRes = Record<string, never>;

/** Selects one provider. */
export type Sso_GetProviderReq = {
  /** Empty for the providers of the platform. */
  Tenant?: string | undefined;
  ID: string;
};

/** The provider. */
export type Sso_GetProviderRes = {
  Provider: SsoProvider;
};

/** Selects a tenant. */
export type Sso_GetRequirementReq = {
  Tenant: string;
};

/** The requirement, and the ways out of it. */
export type Sso_GetRequirementRes = {
  /** Whether the tenant's setting RequireSso or one of its verified domains requires SSO. */
  Required: boolean;
  /** Until when the owners are exempt. Absent without an exemption. */
  LiftedUntil?: string;
  /** The number of unused recovery codes. */
  RecoveryCodesLeft: number;
  /** When they were created. Absent without a code. */
  RecoveryCodesCreatedAt?: string;
};

/** Selects a tenant, and sets the duration. */
export type Sso_LiftRequirementReq = {
  Tenant: string;
  /** Duration in minutes, at most 60. If absent, 60; 0 ends the exemption. */
  Minutes?: number | undefined;
};

/** The end of the exemption. */
export type Sso_LiftRequirementRes = {
  Until?: string;
  /** In events: the owner who used a recovery code. Empty for a bot's exemption. */
  UserID: string;
};

/** Selects a tenant and a page. */
export type Sso_ListProvidersReq = {
  /** Empty for the providers of the platform. */
  Tenant?: string | undefined;
  Page?: PageReq | undefined;
};

/** A page of providers. */
export type Sso_ListProvidersRes = {
  Page: SsoProviderPage;
};

/** Empty: the answer is the same for every caller. */
export type Sso_ListSocialProvidersReq = Record<string, never>;

/** The active providers of the platform, oldest first. */
export type Sso_ListSocialProvidersRes = {
  Providers: SocialProvider[];
};

/** Reserves a new ID, or selects an earlier reservation. */
export type Sso_ReserveProviderReq = {
  /** Empty for a provider of the platform. */
  Tenant?: string | undefined;
  /** An earlier reservation. Empty makes a new one. */
  ID?: string | undefined;
};

/** The reservation. */
export type Sso_ReserveProviderRes = {
  Reservation: SsoReservation;
};

/** The provider to create or update. An absent field keeps its stored value; a field that is sent replaces it, so "", [] and {} clear it. An empty TokenAuthMethod, ResponseMode or RequestBinding means the default; an empty Secret or PrivateKey keeps the stored one, and a new one replaces both. */
export type Sso_SaveProviderReq = {
  Provider?: SsoProviderInput | undefined;
  /** OIDC: the client secret. It is encrypted and never returned. Empty keeps the stored one. */
  Secret?: string | undefined;
  /** SAML: the provider's metadata. Its entity ID, URLs and certificates are taken from it. */
  MetadataXML?: string | undefined;
  /** SAML: the URL of the provider's metadata, which is fetched at once, kept in Provider.MetadataURL and read daily. */
  MetadataURL?: string | undefined;
  /** Save only if the stored provider's UpdatedAt equals this time; otherwise fails with failed_precondition. A save without it leaves an unconfirmed provider unconfirmed. */
  IfUpdatedAt?: string | undefined;
  /** Preset apple: the private key in PEM (P-256) that signs a client secret for each request, in place of Secret. Needs KeyID and TeamID. It is encrypted and never returned. Empty keeps the stored one. */
  PrivateKey?: string | undefined;
};

/** The provider as stored. */
export type Sso_SaveProviderRes = {
  Provider: SsoProvider;
};

/** Selects one provider. */
export type Sso_TestProviderReq = {
  /** Empty for the providers of the platform. */
  Tenant?: string | undefined;
  ID: string;
};

/** The results of the checks. */
export type Sso_TestProviderRes = {
  /** True if no finding has the level error. */
  OK: boolean;
  Findings: SsoFinding[];
};

/** Empty: it is about the operator's only support session. */
export type Support_EndReq = Record<string, never>;

/** Empty: the support session has ended. */
export type Support_EndRes = Record<string, never>;

/** Empty: it is about the operator's only support session. */
export type Support_GetReq = Record<string, never>;

/** The live support session and its user. Both are absent if there is none. */
export type Support_GetRes = {
  Session: Session | null;
  User: User | null;
};

/** The user, the reason and the time. */
export type Support_StartReq = {
  UserID: string;
  /** Why the operator acts as the user. The user reads it in the mail and among the sessions. */
  Reason: string;
  /** How long the session lasts. Absent = 15 minutes. */
  Minutes?: number | undefined;
  /** True for browsers: the token is set as an HttpOnly cookie and left out of the body. Calls use that cookie if they have the header Bailiwick-Support. */
  Cookie?: boolean | undefined;
};

/** The support session, its user and, without a cookie, its token. */
export type Support_StartRes = {
  Token: string;
  Session: Session;
  User: User;
};

/** A suspended tenant that the account belongs to. */
export type SuspendedTenant = {
  ID: string;
  Slug: string;
  Name: string;
};

/** The result of one attempt: tasks.Result of the interface. */
export type TaskResult = {
  /** The webhook-id of the delivery, or the task's identifier for a chat message. The same for all attempts. */
  ID: string;
  /** delivered, retry, failed or dropped. */
  Status: string;
  /** The number of the attempt, from 1. */
  Attempt: number;
  /** The receiver's HTTP status; 0 if there was no response. */
  StatusCode: number;
  /** timeout, dns_error, connection_refused, connection_reset, tls_error, blocked_address, invalid_url, redirect, http_status, rate_limited, response_too_large, payload_too_large, endpoint_inactive, endpoint_not_found, suppressed or aborted_by_receiver; empty = none. */
  Error: string;
  /** One sentence for human readers. */
  Message: string;
  DurationMs: number;
  StartedAt?: string;
  /** Absent if no other attempt follows. */
  NextAttemptAt?: string;
};

/** An organisation. */
export type Tenant = {
  ID: string;
  /** Unique on the platform. If empty on create, it is derived from the name. */
  Slug: string;
  Name: string;
  /** active, suspended or deleting. */
  Status: string;
  Settings?: TenantSettings;
  Metadata: Record<string, string>;
  CreatedAt?: string;
  UpdatedAt?: string;
  /** The caller's own membership. Set only in the response of Tenants_ListMine. */
  Membership?: TenantMember;
  /** How the pages and mails about the tenant look. */
  Branding?: TenantBranding;
  /** Whether others have made the caller an owner, who has not accepted it (TenantMembers_Accept) and is not bound by it. Set only in the response of Tenants_ListMine. */
  OwnershipPending: boolean;
};

/** How the pages and mails about a tenant look. An empty field stands for the installation's own. */
export type TenantBranding = {
  /** The name that people know the organisation by. */
  Name: string;
  /** The colour of buttons and links, such as #1c4fc2. White text on it and the colour on the light page need a contrast of 4.5:1; dark pages use a lighter tone of it. */
  AccentColor: string;
  /** The terms of use: https. */
  TermsURL: string;
  /** The privacy policy: https. */
  PrivacyURL: string;
  /** The address of the logo below the public URL. Another logo has another address. Set the logo with Tenants_Update. */
  LogoPath: string;
  /** The size of the logo in pixels; 0 without one. */
  LogoWidth: number;
  LogoHeight: number;
};

/** The changes to a tenant's branding. An absent field keeps its stored value; "" clears it. */
export type TenantBrandingChangeInput = {
  Name?: string | undefined;
  /** The colour of buttons and links, such as #1c4fc2. White text on it and the colour on the light page need a contrast of 4.5:1; dark pages use a lighter tone of it. */
  AccentColor?: string | undefined;
  /** The terms of use: https. */
  TermsURL?: string | undefined;
  /** The privacy policy: https. */
  PrivacyURL?: string | undefined;
  /** The logo: a PNG, JPEG or WebP image of at most 64 KiB, and at most 2048 pixels wide and high. */
  Logo?: string | undefined;
};

/** How the pages and mails about a tenant look. An empty field stands for the installation's own. */
export type TenantBrandingInput = {
  /** The name that people know the organisation by. */
  Name?: string | undefined;
  /** The colour of buttons and links, such as #1c4fc2. White text on it and the colour on the light page need a contrast of 4.5:1; dark pages use a lighter tone of it. */
  AccentColor?: string | undefined;
  /** The terms of use: https. */
  TermsURL?: string | undefined;
  /** The privacy policy: https. */
  PrivacyURL?: string | undefined;
  /** The address of the logo below the public URL. Another logo has another address. Set the logo with Tenants_Update. */
  LogoPath?: string | undefined;
  /** The size of the logo in pixels; 0 without one. */
  LogoWidth?: number | undefined;
  LogoHeight?: number | undefined;
};

/** The changes to a tenant. An absent field keeps its stored value; a field that is sent replaces it, so "", [] and {} clear it. */
export type TenantChangeInput = {
  ID: string;
  /** Unique on the platform. */
  Slug?: string | undefined;
  Name?: string | undefined;
  /** An absent setting keeps its stored value. */
  Settings?: TenantSettingsInput | undefined;
  Metadata?: Readonly<Record<string, string>> | undefined;
  Branding?: TenantBrandingChangeInput | undefined;
};

/** An organisation. */
export type TenantInput = {
  ID?: string | undefined;
  /** Unique on the platform. If empty on create, it is derived from the name. */
  Slug?: string | undefined;
  Name: string;
  /** active, suspended or deleting. */
  Status?: string | undefined;
  Settings?: TenantSettingsInput | undefined;
  Metadata?: Readonly<Record<string, string>> | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
  /** The caller's own membership. Set only in the response of Tenants_ListMine. */
  Membership?: TenantMemberInput | undefined;
  /** How the pages and mails about the tenant look. */
  Branding?: TenantBrandingInput | undefined;
  /** Whether others have made the caller an owner, who has not accepted it (TenantMembers_Accept) and is not bound by it. Set only in the response of Tenants_ListMine. */
  OwnershipPending?: boolean | undefined;
};

/** An invitation. Its token is only in the response that creates it and in the mail. */
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
  /** The user or bot that sent the invitation. */
  InvitedBy: string;
  /** The user who accepted the invitation. */
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

/** Empty: the caller is a member. */
export type TenantInvitations_AcceptRes = Record<string, never>;

/** The address to invite, and the roles and groups of the new member. */
export type TenantInvitations_CreateReq = {
  Tenant: string;
  Email: string;
  /** The roles the new member gets. Empty means the tenant's default role. */
  Roles?: readonly string[] | undefined;
  /** The paths of the groups the new member joins. */
  Groups?: readonly string[] | undefined;
};

/** The token, which is also mailed. It is never shown again. */
export type TenantInvitations_CreateRes = {
  Token: string;
};

/** The token of an invitation. */
export type TenantInvitations_DeclineReq = {
  Token: string;
};

/** Empty: the invitation is declined. */
export type TenantInvitations_DeclineRes = Record<string, never>;

/** Selects the invitation of an address. */
export type TenantInvitations_DeleteReq = {
  Tenant: string;
  Email: string;
};

/** Empty: the address has no pending invitation. */
export type TenantInvitations_DeleteRes = Record<string, never>;

/** The token of an invitation. */
export type TenantInvitations_GetReq = {
  Token: string;
};

/** A pending invitation, as the invited person sees it. */
export type TenantInvitations_GetRes = {
  TenantName: string;
  /** The name of the user who invites. Empty if a bot or the platform does. */
  InviterName: string;
  /** The invited address. */
  Email: string;
  Roles: string[];
  /** The paths of groups. */
  Groups: string[];
  ExpiresAt?: string;
};

/** Selects an address and a page. */
export type TenantInvitations_ListByEmailReq = {
  Email: string;
  Page?: PageReq | undefined;
};

/** A page of invitations. */
export type TenantInvitations_ListByEmailRes = {
  Page: TenantInvitationPage;
};

/** Selects a tenant and a page. */
export type TenantInvitations_ListReq = {
  Tenant: string;
  Page?: PageReq | undefined;
  /** A part of the address, in any case; below three letters or digits, or without trigrams in the database, its beginning. No character is a wildcard. Empty selects all invitations. */
  Query?: string | undefined;
  /** Empty selects all invitations. */
  Status?: string | undefined;
  /** Invitations created at or after this time. */
  From?: string | undefined;
  /** Invitations created before this time. */
  To?: string | undefined;
  /** The order: email or created. Empty means the newest first. */
  Sort?: string | undefined;
  /** Reverses the order. */
  Descending?: boolean | undefined;
};

/** A page of invitations. */
export type TenantInvitations_ListRes = {
  Page: TenantInvitationPage;
};

/** A user's membership of a tenant. */
export type TenantMember = {
  Tenant: string;
  UserID: string;
  /** active, pending or disabled. pending: added, but not accepted by the user yet. */
  Status: string;
  /** creator, invitation, sso, admin or scim. */
  Source: string;
  /** Absent if the membership is pending. */
  JoinedAt?: string;
};

/** A user's membership of a tenant. */
export type TenantMemberInput = {
  Tenant?: string | undefined;
  UserID?: string | undefined;
  /** active, pending or disabled. pending: added, but not accepted by the user yet. */
  Status?: string | undefined;
  /** creator, invitation, sso, admin or scim. */
  Source?: string | undefined;
  /** Absent if the membership is pending. */
  JoinedAt?: string | undefined;
};

/** Selects one tenant. */
export type TenantMembers_AcceptReq = {
  Tenant: string;
};

/** Empty: the caller is a member. */
export type TenantMembers_AcceptRes = Record<string, never>;

/** The tenant, and the user to add. */
export type TenantMembers_AddReq = {
  Tenant: string;
  UserID: string;
};

/** Empty: the user is a member, or has a pending membership. */
export type TenantMembers_AddRes = Record<string, never>;

/** Selects one tenant. */
export type TenantMembers_DeclineReq = {
  Tenant: string;
};

/** Empty: the membership is declined. */
export type TenantMembers_DeclineRes = Record<string, never>;

/** Selects a member of a tenant. */
export type TenantMembers_DisableReq = {
  Tenant: string;
  UserID: string;
};

/** Empty: the member is disabled. */
export type TenantMembers_DisableRes = Record<string, never>;

/** Selects a member of a tenant. */
export type TenantMembers_EnableReq = {
  Tenant: string;
  UserID: string;
};

/** Empty: the member is active. */
export type TenantMembers_EnableRes = Record<string, never>;

/** Selects a tenant and a page. */
export type TenantMembers_ListReq = {
  Tenant: string;
  Page?: PageReq | undefined;
  /** A part of the user's name or address, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name, of its last word or of the address. No character is a wildcard. Empty selects all members. A search finds no pending member. */
  Query?: string | undefined;
  /** Empty selects all members. */
  Status?: string | undefined;
  /** How the user became a member. Empty selects all members. */
  Source?: string | undefined;
  /** Users who became members at or after this time. */
  From?: string | undefined;
  /** Users who became members before this time. */
  To?: string | undefined;
  /** The order: name, email or joined. Empty means by ID. */
  Sort?: string | undefined;
  /** Reverses the order. */
  Descending?: boolean | undefined;
  /** Adds the names and addresses of the users. */
  WithNames?: boolean | undefined;
  /** Only the membership of this user. The fields of a search then have no effect. */
  UserID?: string | undefined;
};

/** A page of members. */
export type TenantMembers_ListRes = {
  Page: ListedMemberPage;
};

/** The tenant, and the user to remove. */
export type TenantMembers_RemoveReq = {
  Tenant: string;
  UserID: string;
};

/** Empty: the user is not a member. */
export type TenantMembers_RemoveRes = Record<string, never>;

/** One page of tenants. */
export type TenantPage = {
  Items: Tenant[];
  NextCursor: string;
};

/** The settings that a tenant controls. An absent setting keeps its stored value. */
export type TenantSettings = {
  /** Idle timeout of sessions that are used in the tenant, in minutes: at most 10080; 0 means the platform's 7 days. */
  SessionIdleMinutes: number;
  /** Longest lifetime of sessions that are used in the tenant, in minutes: at most 43200; 0 means the platform's 30 days. */
  SessionMaxMinutes: number;
  /** Whether members must sign in through a provider of the tenant. */
  RequireSso: boolean;
  /** Only addresses in these domains can be invited. Empty means all domains. */
  InviteDomains: string[];
  /** Longest lifetime of a bot key, in days: at most 365; 0 means 365. */
  MaxBotKeyDays: number;
  /** How long audit entries are kept, in days: at most 3650; 0 means 400. */
  AuditRetentionDays: number;
  /** The role that new members get automatically. It cannot be owner. Empty means member. */
  DefaultRole: string;
  /** Whether members can change keys, providers, domains and owners only within 15 minutes of signing in. */
  RecentLogin: boolean;
  /** The assurance that a member's session needs to hold rights in the tenant: off (nothing more), any (a second factor) or phishing_resistant (a passkey). A session from a provider of another tenant proves it with the account's own factors only. */
  RequireFactor: string;
  /** Days from a stricter RequireFactor until it is in force, so that members can add a factor: at most 90. */
  FactorGraceDays: number;
  /** When RequireFactor is in force. Until then the previous requirement is. Absent if it is off. */
  FactorRequiredFrom?: string;
  /** How members' sessions may be opened: account (the account's own ways, such as a password or a passkey) and social (a provider of the platform). Empty means both. With account alone, a session that came from a provider of the platform or of another tenant holds no rights in the tenant. Sessions from the tenant's own providers always do. */
  AllowedMethods: string[];
  /** The application that members go to if they sign in without an address to return to, in place of BAILIWICK_APP_URL: https, or http on the same machine, at an origin that the platform allows. */
  AppURL: string;
  /** The path of the group below which a directory creates its groups by SCIM, with room for one more segment. It exists, is no group of a directory, and has no role that the caller lacks: its grants reach the groups below it. Groups that exist stay in place. Empty means the top level. */
  ScimGroupParent: string;
};

/** The settings that a tenant controls. An absent setting keeps its stored value. */
export type TenantSettingsInput = {
  /** Idle timeout of sessions that are used in the tenant, in minutes: at most 10080; 0 means the platform's 7 days. */
  SessionIdleMinutes?: number | undefined;
  /** Longest lifetime of sessions that are used in the tenant, in minutes: at most 43200; 0 means the platform's 30 days. */
  SessionMaxMinutes?: number | undefined;
  /** Whether members must sign in through a provider of the tenant. */
  RequireSso?: boolean | undefined;
  /** Only addresses in these domains can be invited. Empty means all domains. */
  InviteDomains?: readonly string[] | undefined;
  /** Longest lifetime of a bot key, in days: at most 365; 0 means 365. */
  MaxBotKeyDays?: number | undefined;
  /** How long audit entries are kept, in days: at most 3650; 0 means 400. */
  AuditRetentionDays?: number | undefined;
  /** The role that new members get automatically. It cannot be owner. Empty means member. */
  DefaultRole?: string | undefined;
  /** Whether members can change keys, providers, domains and owners only within 15 minutes of signing in. */
  RecentLogin?: boolean | undefined;
  /** The assurance that a member's session needs to hold rights in the tenant: off (nothing more), any (a second factor) or phishing_resistant (a passkey). A session from a provider of another tenant proves it with the account's own factors only. */
  RequireFactor?: string | undefined;
  /** Days from a stricter RequireFactor until it is in force, so that members can add a factor: at most 90. */
  FactorGraceDays?: number | undefined;
  /** When RequireFactor is in force. Until then the previous requirement is. Absent if it is off. */
  FactorRequiredFrom?: string | undefined;
  /** How members' sessions may be opened: account (the account's own ways, such as a password or a passkey) and social (a provider of the platform). Empty means both. With account alone, a session that came from a provider of the platform or of another tenant holds no rights in the tenant. Sessions from the tenant's own providers always do. */
  AllowedMethods?: readonly string[] | undefined;
  /** The application that members go to if they sign in without an address to return to, in place of BAILIWICK_APP_URL: https, or http on the same machine, at an origin that the platform allows. */
  AppURL?: string | undefined;
  /** The path of the group below which a directory creates its groups by SCIM, with room for one more segment. It exists, is no group of a directory, and has no role that the caller lacks: its grants reach the groups below it. Groups that exist stay in place. Empty means the top level. */
  ScimGroupParent?: string | undefined;
};

/** The tenant to save. */
export type Tenants_CreateReq = {
  Tenant: TenantInput;
  /** The user who becomes the owner. Requires iam.platform.tenants.write. */
  OwnerID?: string | undefined;
};

/** The tenant as stored. */
export type Tenants_CreateRes = {
  Tenant: Tenant;
};

/** Selects one tenant. */
export type Tenants_DeleteReq = {
  Tenant: string;
};

/** Empty: the tenant is deleted. */
export type Tenants_DeleteRes = Record<string, never>;

/** Selects one tenant. */
export type Tenants_GetBrandingReq = {
  /** The ID or the slug of a tenant. */
  Tenant: string;
};

/** The branding of the tenant. */
export type Tenants_GetBrandingRes = {
  Branding: TenantBranding;
};

/** Selects one tenant. */
export type Tenants_GetCountsReq = {
  Tenant: string;
};

/** The figures of a tenant. */
export type Tenants_GetCountsRes = {
  /** Requires iam.users.read. */
  Members: MemberCounts;
  /** The invitations that are pending. Requires iam.invitations.read. */
  Invitations: Count;
  /** Requires iam.groups.read. */
  Groups: Count;
  /** The built-in roles and the tenant's own. Requires iam.roles.read. */
  Roles: Count;
  /** The sign-ins of its active members, in whatever tenant they work then, oldest day first. Requires iam.users.write, as the LastLoginAt of a user does. */
  SignIns: DayCount[];
  /** The denied calls about the tenant, oldest day first. Requires iam.audit.read. */
  Refusals: DayCount[];
  /** By how many the records of each kind changed on each day, for the kinds that the caller may read. */
  Trends: Trend[];
  /** As SignIns, for each of the last 24 hours. */
  SignInHours: HourCount[];
  /** As Refusals, for each of the last 24 hours. */
  RefusalHours: HourCount[];
};

/** Selects one tenant. */
export type Tenants_GetReq = {
  Tenant: string;
};

/** The tenant. */
export type Tenants_GetRes = {
  Tenant: Tenant;
};

/** Empty: it is about the whole platform. */
export type Tenants_GetTotalsReq = Record<string, never>;

/** The figures of the platform. */
export type Tenants_GetTotalsRes = {
  Active: Count;
  Suspended: Count;
  /** The sign-ins of all users, oldest day first. */
  SignIns: DayCount[];
  /** The denied calls about the platform and about unknown tenants, oldest day first. */
  Refusals: DayCount[];
};

/** Selects a page. */
export type Tenants_ListMineReq = {
  Page?: PageReq | undefined;
};

/** A page of tenants. */
export type Tenants_ListMineRes = {
  Page: TenantPage;
};

/** Selects a page, and tenants by name and status. */
export type Tenants_ListReq = {
  Page?: PageReq | undefined;
  /** A part of the name or of the slug; below three letters or digits, or without trigrams in the database, the beginning. Letter case and accents do not count, and only the first 64 characters are compared. Empty selects all tenants. */
  Query?: string | undefined;
  /** Empty selects all tenants. */
  Status?: string | undefined;
};

/** A page of tenants. */
export type Tenants_ListRes = {
  Page: TenantPage;
};

/** Selects one tenant. */
export type Tenants_RestoreReq = {
  Tenant: string;
};

/** The tenant as stored. */
export type Tenants_RestoreRes = {
  Tenant: Tenant;
};

/** Selects one tenant. */
export type Tenants_ResumeReq = {
  Tenant: string;
};

/** The tenant as stored. */
export type Tenants_ResumeRes = {
  Tenant: Tenant;
};

/** Selects one tenant. */
export type Tenants_SuspendReq = {
  Tenant: string;
};

/** The tenant as stored. */
export type Tenants_SuspendRes = {
  Tenant: Tenant;
};

/** The tenant to save. */
export type Tenants_UpdateReq = {
  Tenant: TenantChangeInput;
  /** Save only if the stored tenant's UpdatedAt equals this time; otherwise fails with failed_precondition. */
  IfUpdatedAt?: string | undefined;
};

/** The tenant as stored. */
export type Tenants_UpdateRes = {
  Tenant: Tenant;
};

/** The presented token. */
export type Tokens_IntrospectReq = {
  Token: string;
  /** The tenant that the token was presented for. Empty means every tenant and requires the permission on the platform. */
  Tenant?: string | undefined;
  /** The IP address that the token was presented from. A bot key with AllowedIPs is active only if this is one of them. */
  IP?: string | undefined;
};

/** The holder of the token. For an inactive token only Active is set. */
export type Tokens_IntrospectRes = {
  Active: boolean;
  /** session or bot_key. */
  Type: string;
  /** The ID of the session or bot key. */
  ID: string;
  UserID: string;
  Bot: string;
  /** For a bot key, the bot's tenant. For a session, the only tenant in which it holds rights: for other tenants the token is inactive. Empty if the session is not limited to a tenant. */
  Tenant: string;
  ExpiresAt?: string;
  /** The permissions of the bot that the key is narrowed to. Empty means all of them. */
  Permissions: string[];
};

/** How the number of records of one kind has changed. */
export type Trend = {
  /** members, invitations, groups, roles, bots or apps. Each requires the permission to read the records, such as iam.groups.read; members requires iam.users.read. */
  Kind: string;
  /** The records that were added on the day less those that were removed, oldest day first. For invitations, those that were sent. */
  Days: DayCount[];
};

/** A user of the platform. */
export type User = {
  ID: string;
  Email: string;
  EmailVerified: boolean;
  Name: string;
  GivenName: string;
  FamilyName: string;
  /** The URL of a picture. */
  Picture: string;
  /** A language tag such as en or pt-BR. */
  Locale: string;
  /** pending, active or disabled. */
  Status: string;
  /** Whether the user can sign in with a password. Shown only to the user and to callers with iam.users.write in a tenant of the user or iam.platform.users.write; for others it is false. */
  HasPassword: boolean;
  /** The user's ID in another system. */
  ExternalID: string;
  Metadata: Record<string, string>;
  /** Absent for callers that may not see HasPassword. */
  LastLoginAt?: string;
  CreatedAt?: string;
  UpdatedAt?: string;
  /** The receipt of the lock that disables the user. Empty unless the user is locked. */
  LockReceipt: string;
};

/** The changes to a user. An absent field keeps its stored value; a field that is sent replaces it, so "", [] and {} clear it. */
export type UserChangeInput = {
  ID: string;
  Name?: string | undefined;
  GivenName?: string | undefined;
  FamilyName?: string | undefined;
  Picture?: string | undefined;
  Locale?: string | undefined;
  /** The user's ID in another system. Changing it requires iam.platform.users.write. */
  ExternalID?: string | undefined;
  Metadata?: Readonly<Record<string, string>> | undefined;
  /** The stored address. A different address is rejected: use Account_ChangeEmail. */
  Email?: string | undefined;
};

/** The properties of a new user. */
export type UserDraftInput = {
  Email: string;
  Name?: string | undefined;
  GivenName?: string | undefined;
  FamilyName?: string | undefined;
  Picture?: string | undefined;
  Locale?: string | undefined;
  /** The user's ID in another system. */
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

/** Selects a user's identity at one provider, with the account's password. */
export type Users_ConfirmIdentityReq = {
  UserID: string;
  Provider: string;
  /** Required if the caller's session is limited. If empty, the credential that opened the caller's session is used. */
  Password?: string | undefined;
  /** Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail. */
  Reason?: string | undefined;
};

/** Empty: the identity is confirmed. */
export type Users_ConfirmIdentityRes = Record<string, never>;

/** The user to create. */
export type Users_CreateReq = {
  User: UserDraftInput;
  Password?: string | undefined;
};

/** The user as stored. */
export type Users_CreateRes = {
  User: User;
};

/** Selects the user to delete. */
export type Users_DeleteReq = {
  UserID: string;
  /** Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail. */
  Reason?: string | undefined;
};

/** Empty: the user is deleted. */
export type Users_DeleteRes = Record<string, never>;

/** Selects the user to disable. */
export type Users_DisableReq = {
  UserID: string;
  /** Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail. */
  Reason?: string | undefined;
};

/** The user as stored. */
export type Users_DisableRes = {
  User: User;
};

/** Selects the user to enable. */
export type Users_EnableReq = {
  UserID: string;
  /** Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail. */
  Reason?: string | undefined;
};

/** The user as stored. */
export type Users_EnableRes = {
  User: User;
};

/** Selects a user by address. */
export type Users_GetByEmailReq = {
  Email: string;
};

/** The user. */
export type Users_GetByEmailRes = {
  User: User;
};

/** Selects one user. */
export type Users_GetReq = {
  UserID: string;
};

/** The user. */
export type Users_GetRes = {
  User: User;
};

/** The users to import. */
export type Users_ImportReq = {
  Users: readonly ImportedUserInput[];
  /** Whether a refused user stops the others: abort imports none of them, continue imports them. Empty means abort. */
  OnError?: string | undefined;
  /** Whether to return the verdicts only, and import nothing. */
  DryRun?: boolean | undefined;
  /** Names the call, with a value of your choice that no other call has. If the response was lost, repeat the call with the same one: users whom it had created already are created again in the verdicts, and not existing. */
  BatchID?: string | undefined;
};

/** A verdict for each user, in the order of the request. */
export type Users_ImportRes = {
  Verdicts: ImportVerdict[];
};

/** Selects a tenant and a page. */
export type Users_ListByTenantReq = {
  Tenant: string;
  Page?: PageReq | undefined;
  /** A part of the user's name or address, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name, of its last word or of the address. No character is a wildcard. Empty selects all members. */
  Query?: string | undefined;
  /** The state of the membership. Empty selects all members. */
  Status?: string | undefined;
  /** How the user became a member. Empty selects all members. */
  Source?: string | undefined;
  /** Users who became members at or after this time. */
  From?: string | undefined;
  /** Users who became members before this time. */
  To?: string | undefined;
  /** The order: name, email or joined. Empty means by ID. */
  Sort?: string | undefined;
  /** Reverses the order. */
  Descending?: boolean | undefined;
};

/** A page of users. */
export type Users_ListByTenantRes = {
  Page: UserPage;
};

/** Selects one user. */
export type Users_ListFactorsReq = {
  UserID: string;
};

/** The factors of the user, oldest first. */
export type Users_ListFactorsRes = {
  Factors: Factor[];
  /** The number of unused recovery codes. */
  RecoveryCodesLeft: number;
};

/** Selects a user and a page. */
export type Users_ListIdentitiesReq = {
  UserID: string;
  Page?: PageReq | undefined;
};

/** A page of identities. */
export type Users_ListIdentitiesRes = {
  Page: IdentityPage;
};

/** Selects a page. */
export type Users_ListReq = {
  Page?: PageReq | undefined;
  /** A part of the name or address, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name, of its last word or of the address. No character is a wildcard. Empty selects all users. */
  Query?: string | undefined;
  /** Empty selects all users. */
  Status?: string | undefined;
  /** Users created at or after this time. */
  From?: string | undefined;
  /** Users created before this time. */
  To?: string | undefined;
  /** The order: name, email or created. Empty means by ID. */
  Sort?: string | undefined;
  /** Reverses the order. */
  Descending?: boolean | undefined;
};

/** A page of users. */
export type Users_ListRes = {
  Page: UserPage;
};

/** Selects a user and a page. */
export type Users_ListSessionsReq = {
  UserID: string;
  Page?: PageReq | undefined;
};

/** A page of sessions. */
export type Users_ListSessionsRes = {
  Page: SessionPage;
};

/** Selects the user to lock. */
export type Users_LockReq = {
  UserID: string;
  /** Why. Required of a user who acts on another account: it is in the audit and the receipt, and the user of the account reads it in a mail. */
  Reason?: string | undefined;
};

/** The user as stored, and the receipt with the rows so far. */
export type Users_LockRes = {
  User: User;
  Receipt: LockReceipt;
};

/** Selects a user's identity at one provider. */
export type Users_RemoveIdentityReq = {
  UserID: string;
  Provider: string;
  /** Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail. */
  Reason?: string | undefined;
};

/** Empty: the user has no identity at the provider. */
export type Users_RemoveIdentityRes = Record<string, never>;

/** Selects the user who has lost the factors. */
export type Users_ResetFactorsReq = {
  UserID: string;
  /** Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail. */
  Reason?: string | undefined;
};

/** Empty: the user has no second factor. */
export type Users_ResetFactorsRes = Record<string, never>;

/** Selects the user to sign out. */
export type Users_RevokeAllSessionsReq = {
  UserID: string;
  /** Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail. */
  Reason?: string | undefined;
};

/** Empty: the user is signed out everywhere. */
export type Users_RevokeAllSessionsRes = Record<string, never>;

/** Selects one session of a user. */
export type Users_RevokeSessionReq = {
  UserID: string;
  ID: string;
  /** Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail. */
  Reason?: string | undefined;
};

/** Empty: the session has ended. */
export type Users_RevokeSessionRes = Record<string, never>;

/** Selects the user to restore. */
export type Users_UnlockReq = {
  UserID: string;
  /** Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail. */
  Reason?: string | undefined;
};

/** The user as stored. */
export type Users_UnlockRes = {
  User: User;
};

/** The user to update. */
export type Users_UpdateReq = {
  User: UserChangeInput;
  /** Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail. */
  Reason?: string | undefined;
};

/** The user as stored. */
export type Users_UpdateRes = {
  User: User;
};

/** An endpoint that receives webhooks. */
export type WebhookEndpoint = {
  /** Set by the service on create, required on update. */
  ID: string;
  /** If absent on create, the bot's tenant or the user's only tenant. It never changes. */
  Tenant: string;
  Name: string;
  /** The URL that receives deliveries: https, at most 2,048 characters. */
  URL: string;
  /** If absent on update, the stored value is kept. */
  Active: boolean;
  /** The data key that encrypts the signing secret. */
  DekID: string;
  /** Always empty in responses. */
  SecretEnc: string;
  /** The event types to receive. "user.*" means every event type that begins with "user.". Empty means all event types. */
  EventTypes: string[];
  Description: string;
  /** Deliveries per second; 0 means no limit for this endpoint. */
  RateLimit: number;
  /** Why the service disabled the endpoint. Empty if the service did not disable it. */
  DisabledReason: string;
  DisabledAt?: string;
  CreatedAt?: string;
  UpdatedAt?: string;
  /** The previous secret also signs until this time. Absent if there is no previous secret. */
  PreviousSecretUntil?: string;
  /** Only in the responses of GetEndpoint and ListEndpoints. */
  Health?: EndpointHealth;
};

/** An endpoint that receives webhooks. */
export type WebhookEndpointInput = {
  /** Set by the service on create, required on update. */
  ID?: string | undefined;
  /** If absent on create, the bot's tenant or the user's only tenant. It never changes. */
  Tenant?: string | undefined;
  Name: string;
  /** The URL that receives deliveries: https, at most 2,048 characters. */
  URL: string;
  /** If absent on update, the stored value is kept. */
  Active?: boolean | undefined;
  /** The data key that encrypts the signing secret. */
  DekID?: string | undefined;
  /** Always empty in responses. */
  SecretEnc?: string | undefined;
  /** The event types to receive. "user.*" means every event type that begins with "user.". Empty means all event types. */
  EventTypes?: readonly string[] | undefined;
  Description?: string | undefined;
  /** Deliveries per second; 0 means no limit for this endpoint. */
  RateLimit?: number | undefined;
  /** Why the service disabled the endpoint. Empty if the service did not disable it. */
  DisabledReason?: string | undefined;
  DisabledAt?: string | undefined;
  CreatedAt?: string | undefined;
  UpdatedAt?: string | undefined;
  /** The previous secret also signs until this time. Absent if there is no previous secret. */
  PreviousSecretUntil?: string | undefined;
  /** Only in the responses of GetEndpoint and ListEndpoints. */
  Health?: EndpointHealthInput | undefined;
};

/** One page of webhook endpoints. */
export type WebhookEndpointPage = {
  Items: WebhookEndpoint[];
  NextCursor: string;
};

/** A link to the portal of an endpoint. */
export type WebhookPortal = {
  ID: string;
  Tenant: string;
  Endpoint: string;
  /** Who has the link. The portal does not show it. */
  Name: string;
  /** What the portal can do beyond the state and the log: bodies, replay, test, rotate. */
  Abilities: string[];
  ExpiresAt?: string;
  CreatedAt?: string;
  /** The user or bot that created it. "platform" for the installation's key. */
  CreatedBy: string;
  /** When the link was last opened. Absent if it was not opened yet. */
  LastOpenedAt?: string;
};

/** One page of links. */
export type WebhookPortalPage = {
  Items: WebhookPortal[];
  NextCursor: string;
};

/** The endpoint, and what the link opens for how long. */
export type WebhookPortals_CreateReq = {
  Tenant: string;
  Endpoint: string;
  /** Who gets the link. The portal does not show it. */
  Name: string;
  /** Absent = 10080, a week; at most 129600, 90 days. */
  ExpiresInMinutes?: number | undefined;
  /** What the portal can do: bodies (read sent bodies), replay (send messages again), test (send a test), rotate (replace the signing secret). Empty = only the endpoint's state and log. */
  Abilities?: readonly string[] | undefined;
};

/** The link, which is shown only once. */
export type WebhookPortals_CreateRes = {
  Portal: WebhookPortal;
  /** The address to hand to the receiver. Its fragment has the token, which browsers do not send. */
  Link: string;
};

/** Selects one link. */
export type WebhookPortals_DeleteReq = {
  Tenant: string;
  ID: string;
};

/** Empty: the link does not work any more. */
export type WebhookPortals_DeleteRes = Record<string, never>;

/** Selects an endpoint and a page. */
export type WebhookPortals_ListReq = {
  Tenant: string;
  Endpoint: string;
  Page?: PageReq | undefined;
};

/** A page of links. */
export type WebhookPortals_ListRes = {
  Page: WebhookPortalPage;
};

/** The endpoint to create. */
export type Webhooks_CreateEndpointReq = {
  Endpoint: WebhookEndpointInput;
};

/** The endpoint, and its signing secret, which is shown only once. */
export type Webhooks_CreateEndpointRes = {
  Endpoint: WebhookEndpoint;
  /** The key of the X-Webhook-Signature header. */
  Secret: string;
};

/** Selects one endpoint. */
export type Webhooks_DeleteEndpointReq = {
  Tenant: string;
  ID: string;
};

/** Empty: the endpoint is deleted. */
export type Webhooks_DeleteEndpointRes = Record<string, never>;

/** Selects an event. */
export type Webhooks_ExplainDeliveryReq = {
  Tenant: string;
  /** The event's ID, as Events_Publish returns it, and as receivers find it in webhook-id. */
  Event: string;
};

/** One explanation for each of the tenant's webhook endpoints. */
export type Webhooks_ExplainDeliveryRes = {
  Event: string;
  EventType: string;
  /** When the event happened. */
  OccurredAt?: string;
  Endpoints: DeliveryExplanation[];
};

/** Selects a tenant and an event type. */
export type Webhooks_ExplainReq = {
  Tenant: string;
  Type: string;
};

/** One verdict for each of the tenant's endpoints. */
export type Webhooks_ExplainRes = {
  Endpoints: EndpointVerdict[];
};

/** Selects one endpoint. */
export type Webhooks_GetEndpointReq = {
  Tenant: string;
  ID: string;
};

/** The endpoint. */
export type Webhooks_GetEndpointRes = {
  Endpoint: WebhookEndpoint;
};

/** Selects a message of an endpoint. */
export type Webhooks_GetMessageReq = {
  Tenant: string;
  /** The endpoint. */
  ID: string;
  /** The message's identifier: the ID of its attempts, and the header webhook-id. */
  MessageID: string;
};

/** The message. */
export type Webhooks_GetMessageRes = {
  Message: DeliveryMessage;
};

/** Selects a tenant, or one of its endpoints. */
export type Webhooks_GetStatsReq = {
  Tenant: string;
  /** Restricts the attempts to this endpoint. Empty means all endpoints, deleted ones included. */
  ID?: string | undefined;
};

/** The endpoints and their attempts. */
export type Webhooks_GetStatsRes = {
  /** All endpoints of the tenant, also if the request names one. */
  Endpoints: EndpointCounts;
  /** The last 30 days, oldest first. The last one is today. */
  Days: DeliveryStats[];
  /** The last 48 hours, oldest first. */
  Hours: DeliveryStats[];
};

/** Selects a tenant, a page and a filter. Empty fields do not restrict the list. */
export type Webhooks_ListAttemptsReq = {
  Tenant: string;
  Endpoint?: string | undefined;
  /** The result of the attempt. */
  Outcome?: string | undefined;
  EventType?: string | undefined;
  /** Attempts that began at or after this time. */
  Since?: string | undefined;
  /** Attempts that began before this time. */
  Until?: string | undefined;
  Page?: PageReq | undefined;
  /** Only the latest attempt of each message, so that a message is listed once. */
  Latest?: boolean | undefined;
};

/** A page of attempts. */
export type Webhooks_ListAttemptsRes = {
  Page: DeliveryAttemptPage;
};

/** Selects a tenant and a page. */
export type Webhooks_ListEndpointsReq = {
  Tenant: string;
  Page?: PageReq | undefined;
};

/** A page of endpoints. */
export type Webhooks_ListEndpointsRes = {
  Page: WebhookEndpointPage;
};

/** Empty: the list is the same for all callers. */
export type Webhooks_ListEventTypesReq = Record<string, never>;

/** All event types, sorted by name. */
export type Webhooks_ListEventTypesRes = {
  EventTypes: EventType[];
};

/** Selects an endpoint and a period. */
export type Webhooks_ReplayFailedReq = {
  Tenant: string;
  ID: string;
  /** Start of the period, inclusive. If absent, all stored deliveries: those of the last 30 days. */
  Since?: string | undefined;
  /** End of the period, exclusive. If absent, now. */
  Until?: string | undefined;
};

/** The deliveries that were queued again. */
export type Webhooks_ReplayFailedRes = {
  Queued: number;
};

/** Selects a message of an endpoint. */
export type Webhooks_ResendReq = {
  Tenant: string;
  /** The endpoint. */
  ID: string;
  /** The message's identifier: the ID of its attempts, and the header webhook-id. */
  MessageID: string;
  /** Makes the next attempt of a waiting message at once. It counts as one of the message's attempts. A pause that follows too many failed attempts ends, and one that the receiver asked for stays. Counts towards the limits of SendTest. */
  Now?: boolean | undefined;
};

/** Whether the message was queued again. */
export type Webhooks_ResendRes = {
  /** False if it was queued already, or if with Now the receiver asked for a pause. */
  Queued: boolean;
};

/** Selects an endpoint, and sets the grace period of its current secret. */
export type Webhooks_RotateSecretReq = {
  Tenant: string;
  ID: string;
  /** How long the previous secret also signs, in seconds. If absent, 86400 (one day); 0 ends it at once; at most 604800 (one week). */
  GraceSeconds?: number | undefined;
};

/** The endpoint, and its new signing secret, which is shown only once. */
export type Webhooks_RotateSecretRes = {
  Endpoint: WebhookEndpoint;
  /** The key of the X-Webhook-Signature header. */
  Secret: string;
};

/** Selects one endpoint. */
export type Webhooks_SendTestReq = {
  Tenant: string;
  ID: string;
};

/** The result of the attempt. A test is not retried, so the status is never retry. */
export type Webhooks_SendTestRes = {
  Task: TaskResult;
};

/** The endpoint to update. An absent field keeps its stored value; a field that is sent replaces it, so "", [] and {} clear it. ID, Name and URL are required. */
export type Webhooks_UpdateEndpointReq = {
  Endpoint: WebhookEndpointInput;
};

/** The endpoint as stored. */
export type Webhooks_UpdateEndpointRes = {
  Endpoint: WebhookEndpoint;
};
