// Generated from the proto files by `npm run generate`. Do not edit.

/** How a field is written on a command line. "json" is a record in a list; "texts" and "json" can be repeated; a "secret" is only read from a file or the standard input. */
export type FieldKind = 'text' | 'secret' | 'texts' | 'flag' | 'number' | 'time' | 'bytes' | 'map' | 'json';

export type Field = { readonly path: string; readonly kind: FieldKind; readonly required: boolean; readonly text: string };

export type Help = {
  readonly text: string;
  /** Who may call. */
  readonly access: string;
  /** The kind of response: one record, a page, or one long text. */
  readonly answers: 'record' | 'page' | 'stream';
  /** The field of the request that names its tenant; '' if it has none. */
  readonly tenant: string;
  readonly fields: readonly Field[];
};

/** The format of a time. */
export const rfc3339 = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

export const operations: Readonly<Record<string, Help>> = {
  Access_Check: {
    "text":"Checks whether a subject holds one permission, or each of several.","access":"a session or a bot key: the permission iam.grants.read in Tenant; or the subject is the caller itself, a user or a bot","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Subject","kind":"text","required":false,"text":"A user or bot. Empty means the caller."},
      {"path":"Permission","kind":"text","required":false,"text":""},
      {"path":"Resource","kind":"text","required":false,"text":"The application's own name of a resource. Empty means the whole tenant."},
      {"path":"Checks","kind":"json","required":false,"text":"More checks of the same subject. Required if Permission is empty."},
    ],
  },
  Access_Explain: {
    "text":"Explains a decision: lists every path by which a subject holds a permission, or the reasons why it does not hold it.","access":"a session or a bot key: the permission iam.grants.read in Tenant; or the subject is the caller itself, a user or a bot","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Subject","kind":"text","required":false,"text":"A user or bot. Empty means the caller."},
      {"path":"Permission","kind":"text","required":true,"text":""},
      {"path":"Resource","kind":"text","required":false,"text":"The application's own name of a resource. Empty means the whole tenant."},
    ],
  },
  Access_ListPermissions: {
    "text":"Lists the permissions that a subject holds in a tenant or on the platform, as granted: an entry may end in \"*\".","access":"a session or a bot key: the permission iam.grants.read in Tenant; or the permission iam.platform.grants.read on the platform, if Platform is true; or the subject is the caller itself, a user or a bot","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Required without Platform."},
      {"path":"Subject","kind":"text","required":false,"text":"A user or bot. Empty means the caller."},
      {"path":"Resource","kind":"text","required":false,"text":"The application's own name of a resource. Empty means the whole tenant."},
      {"path":"Platform","kind":"flag","required":false,"text":"True lists the permissions on the platform. Tenant is then empty."},
    ],
  },
  Access_ListSubjects: {
    "text":"Lists the users and bots that hold a permission in a tenant, sorted by ID: those for which Check answers true. The tenant's requirements for sessions do not count.","access":"a session or a bot key: the permission iam.grants.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Permission","kind":"text","required":true,"text":""},
      {"path":"Resource","kind":"text","required":false,"text":"The application's own name of a resource. Empty means the whole tenant. Subjects with the permission in the whole tenant are listed for each resource."},
      {"path":"Type","kind":"text","required":false,"text":"Lists users or bots only. Empty means both."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Access_Plan: {
    "text":"Previews changes: lists the permissions that users and bots would gain or lose. Nothing is changed.","access":"a session or a bot key: the permission iam.grants.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Changes","kind":"json","required":true,"text":""},
      {"path":"ForBot","kind":"text","required":false,"text":"The bot that will make the changes: its permissions count instead of the caller's, so that a caller who only reads can plan for it. Empty means the caller."},
    ],
  },
  AccountApps_Delete: {
    "text":"Withdraws the caller's consent to an app, and ends what the app got in the caller's name: its codes, refresh tokens and sign-ins. Nothing changes if the app has no access.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  AccountApps_List: {
    "text":"Lists the apps that the caller is signed in to, or has consented to.","access":"a session, about the caller","answers":"page","tenant":"",
    fields: [
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Account_BeginPasskeyLogin: {
    "text":"Returns the options with which the sign-in page asks the browser for a passkey (navigator.credentials.get). They name no account: the user's device offers its passkeys.","access":"everyone","answers":"record","tenant":"",
    fields: [],
  },
  Account_BeginStepUp: {
    "text":"Asks the caller for a second factor in the session of the call, without a new sign-in. Fails with failed_precondition if the user has none. A new challenge voids the session's earlier one.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Account_ChangeEmail: {
    "text":"Mails a token to a new address. Account_Verify with that token makes it the account's address. The response is the same if the address belongs to another account.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
      {"path":"Password","kind":"secret","required":false,"text":"The account's password. If the account has none, the sign-in must be at most 15 minutes old."},
    ],
  },
  Account_ChangePassword: {
    "text":"Changes the caller's password, and ends all other sessions of the account.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"Current","kind":"secret","required":true,"text":""},
      {"path":"Password","kind":"secret","required":true,"text":"8 to 256 characters. Common passwords are rejected."},
    ],
  },
  Account_CompleteLogin: {
    "text":"Completes a sign-in with a second factor: a code of an authenticator app, a passkey or a recovery code. A challenge works once, for ten minutes, for five tries and in the network that asked for it.","access":"everyone","answers":"record","tenant":"",
    fields: [
      {"path":"Challenge","kind":"secret","required":true,"text":"From Account_Login or Account_LoginWithCode."},
      {"path":"Totp","kind":"secret","required":false,"text":"The six digits that the authenticator app shows."},
      {"path":"RecoveryCode","kind":"secret","required":false,"text":"One of the codes of RecoveryCodes_Generate."},
      {"path":"Cookie","kind":"flag","required":false,"text":"For browsers: the token is set as an HttpOnly cookie, and Token in the response is empty."},
      {"path":"Passkey","kind":"secret","required":false,"text":"The browser's answer to the options of Account_BeginPasskeyLogin, as JSON text."},
    ],
  },
  Account_CompleteStepUp: {
    "text":"Adds the factor to the session: its assurance rises, and its sign-in counts as recent. A challenge works once, for ten minutes, for five tries, and in the session and network that asked for it. Other sessions of the user do not change.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"Challenge","kind":"secret","required":true,"text":"From Account_BeginStepUp."},
      {"path":"Totp","kind":"secret","required":false,"text":"The six digits that the authenticator app shows."},
      {"path":"RecoveryCode","kind":"secret","required":false,"text":"One of the codes of RecoveryCodes_Generate."},
      {"path":"Passkey","kind":"secret","required":false,"text":"The browser's answer to the options of Account_BeginStepUp, as JSON text."},
    ],
  },
  Account_ExchangeCode: {
    "text":"Exchanges the code that a sign-in passed to an application for a session. A code works once and for one minute. In a browser it works only for pages of the origin that it was sent to.","access":"everyone","answers":"record","tenant":"",
    fields: [
      {"path":"Code","kind":"secret","required":true,"text":""},
      {"path":"Cookie","kind":"flag","required":false,"text":"For browsers: the token is set as an HttpOnly cookie, and Token in the response is empty."},
    ],
  },
  Account_FinishPasskeyLogin: {
    "text":"Signs in with a passkey. The options work once and for ten minutes. If the domain of the address requires SSO, no passkey is accepted.","access":"everyone","answers":"record","tenant":"",
    fields: [
      {"path":"Credential","kind":"secret","required":true,"text":"AuthenticationResponseJSON (WebAuthn) as JSON text: JSON.stringify of the browser's credential."},
      {"path":"Cookie","kind":"flag","required":false,"text":"For browsers: the token is set as an HttpOnly cookie, and Token in the response is empty."},
    ],
  },
  Account_Get: {
    "text":"Returns the caller's own account and the tenants it belongs to.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Account_IssueCode: {
    "text":"Returns the address that takes the signed-in user on to an application, with a code for Account_ExchangeCode. Only the sign-in page and callers outside of browsers may call it.","access":"a session, about the caller","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"ReturnTo","kind":"text","required":false,"text":"A URL at one of BAILIWICK_ALLOWED_ORIGINS, or a path below the public URL. Empty = the AppURL of the tenant, or BAILIWICK_APP_URL."},
      {"path":"Tenant","kind":"text","required":false,"text":"The ID or slug of the tenant of the caller whose AppURL counts if ReturnTo is empty. Empty = the caller's only tenant."},
    ],
  },
  Account_LinkIdentity: {
    "text":"Links the identity of a social sign-in whose address belongs to the caller's account. The cookie of that sign-in says which identity. The caller must have signed in after it.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Account_Login: {
    "text":"Signs in with address and password. The token is shown only once. If the domain of the address requires SSO, no password is accepted without an SsoRecoveryCode. A user with a second factor gets a challenge instead of a session: see Account_CompleteLogin.","access":"everyone","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
      {"path":"Password","kind":"secret","required":true,"text":""},
      {"path":"Cookie","kind":"flag","required":false,"text":"For browsers: the token is set as an HttpOnly cookie, and Token in the response is empty."},
      {"path":"SsoRecoveryCode","kind":"secret","required":false,"text":"One of the codes of Sso_CreateRecoveryCodes, if the identity provider of a tenant that requires it does not work. Once the password and the due second factor are right, it lifts the requirement for the tenant's owners, as Sso_LiftRequirement does. The answer is the same for a wrong password, an unknown code and a user who does not own the tenant."},
    ],
  },
  Account_LoginWithCode: {
    "text":"Signs in with a mailed code. It works once, for ten minutes and five tries, together with the token of the request that it was mailed for.","access":"everyone","answers":"record","tenant":"",
    fields: [
      {"path":"RequestToken","kind":"secret","required":true,"text":""},
      {"path":"Code","kind":"secret","required":true,"text":"Eight letters and digits. Spaces, hyphens and case do not matter."},
      {"path":"Cookie","kind":"flag","required":false,"text":"For browsers: the token is set as an HttpOnly cookie, and Token in the response is empty."},
    ],
  },
  Account_Logout: {
    "text":"Ends the caller's session.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Account_Register: {
    "text":"Registers an account and mails a verification token. The response is the same if the address has an account already: that address gets a notice instead.","access":"everyone","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
      {"path":"Password","kind":"secret","required":true,"text":"8 to 256 characters. Common passwords are rejected."},
      {"path":"InvitationToken","kind":"secret","required":false,"text":"The token of an invitation of this address, for an account without a second mail."},
      {"path":"InvitationSecret","kind":"secret","required":false,"text":"The proof in the link of the invitation's mail. The token alone proves nothing: the inviter has it too."},
      {"path":"Locale","kind":"text","required":false,"text":"A language tag such as pt-BR: the language of the verification mail, and the user's Locale."},
    ],
  },
  Account_RequestCode: {
    "text":"Mails a code to sign in with, if the address has an account. The response is the same if it has none. If the domain of the address requires SSO, no code is mailed.","access":"everyone","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  Account_RequestPasswordReset: {
    "text":"Mails a password reset token if the address has an account. Always succeeds.","access":"everyone","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  Account_ResendVerification: {
    "text":"Mails the verification token of the address's latest registration again. Always succeeds.","access":"everyone","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  Account_ResetPassword: {
    "text":"Sets a new password with the mailed token, and ends all sessions of the account.","access":"everyone","answers":"record","tenant":"",
    fields: [
      {"path":"Token","kind":"secret","required":true,"text":""},
      {"path":"Password","kind":"secret","required":true,"text":"8 to 256 characters. Common passwords are rejected."},
    ],
  },
  Account_SignInOptions: {
    "text":"Returns the ways of signing in that this installation offers.","access":"everyone","answers":"record","tenant":"",
    fields: [],
  },
  Account_Update: {
    "text":"Updates the caller's profile. Absent fields keep their values; Account_ChangeEmail changes the address.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"User.Name","kind":"text","required":false,"text":""},
      {"path":"User.GivenName","kind":"text","required":false,"text":""},
      {"path":"User.FamilyName","kind":"text","required":false,"text":""},
      {"path":"User.Picture","kind":"text","required":false,"text":"The URL of a picture."},
      {"path":"User.Locale","kind":"text","required":false,"text":"A language tag such as pt-BR."},
      {"path":"User.Metadata","kind":"map","required":false,"text":""},
      {"path":"User.Email","kind":"text","required":false,"text":"The stored address. A different address is rejected: use Account_ChangeEmail."},
      {"path":"User.ExternalID","kind":"text","required":false,"text":"The stored value. Changing it requires iam.platform.users.write."},
    ],
  },
  Account_Verify: {
    "text":"Verifies the address of a registration with the mailed token.","access":"everyone","answers":"record","tenant":"",
    fields: [
      {"path":"Token","kind":"secret","required":true,"text":""},
    ],
  },
  AppLogouts_ListAttempts: {
    "text":"Lists the attempts of the last 30 days to call the BackchannelLogoutURI of the tenant's apps, or of the platform's, newest first.","access":"a session or a bot key: the permission iam.apps.read in Tenant; or the permission iam.platform.apps.read on the platform, if Tenant is empty","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty for the apps of the platform."},
      {"path":"App","kind":"text","required":false,"text":"Empty for all apps."},
      {"path":"Outcome","kind":"text","required":false,"text":"The result of the attempt."},
      {"path":"Since","kind":"time","required":false,"text":"Attempts that began at or after this time."},
      {"path":"Until","kind":"time","required":false,"text":"Attempts that began before this time."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Apps_Delete: {
    "text":"Deletes an app. It gets no tokens from then on.","access":"a session or a bot key: the permission iam.apps.write in Tenant; or the permission iam.platform.apps.write on the platform, if Tenant is empty; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty for the apps of the platform."},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Apps_Get: {
    "text":"Returns one app.","access":"a session or a bot key: the permission iam.apps.read in Tenant; or the permission iam.platform.apps.read on the platform, if Tenant is empty","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty for the apps of the platform."},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Apps_List: {
    "text":"Lists the apps of a tenant, or of the platform.","access":"a session or a bot key: the permission iam.apps.read in Tenant; or the permission iam.platform.apps.read on the platform, if Tenant is empty","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty for the apps of the platform."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Apps_Lock: {
    "text":"Locks an app: makes it inactive, ends its sign-ins, codes and refresh tokens, and returns a receipt of who held its rights. Apps_Save with Active restores the app, and not its sign-ins. Locking a locked app that was not changed since returns the receipt of that lock.","access":"a session or a bot key: the permission iam.apps.write in Tenant; or the permission iam.platform.apps.write on the platform, if Tenant is empty; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty for the apps of the platform."},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"Reason","kind":"text","required":false,"text":"Why: it is in the audit and the receipt."},
    ],
  },
  Apps_RotateSecret: {
    "text":"Replaces the client secret of an app. The new secret is in the response and is never shown again. Fails with failed_precondition if the app authenticates without a secret.","access":"a session or a bot key: the permission iam.apps.write in Tenant; or the permission iam.platform.apps.write on the platform, if Tenant is empty; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty for the apps of the platform."},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"KeepOldSeconds","kind":"number","required":false,"text":"How long the present secret is still accepted, in seconds, at most 86400 (one day). If absent or 0, it ends at once."},
    ],
  },
  Apps_Save: {
    "text":"Creates an app, or updates the one with this ID. Without a Tenant it is an app of the platform, for users of all tenants. A tenant and the platform have a maximum number of apps (failed_precondition).","access":"a session or a bot key: the permission iam.apps.write in App.Tenant; or the permission iam.platform.apps.write on the platform, if App.Tenant is empty; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"App.Tenant",
    fields: [
      {"path":"App.ID","kind":"text","required":false,"text":"Empty on save to create a new app. It is the app's client ID (client_id)."},
      {"path":"App.Tenant","kind":"text","required":false,"text":"Empty for an app of the platform, which users of all tenants may use. An app of a tenant accepts members of that tenant only."},
      {"path":"App.Name","kind":"text","required":false,"text":"Required on create. If absent on update, the stored value is kept."},
      {"path":"App.Kind","kind":"text","required":false,"text":"web (a server with pages), spa (code in the browser), native (on a user's device), device (a device without a browser) or service (no user). It never changes. If absent on update, the stored value is kept."},
      {"path":"App.Active","kind":"flag","required":false,"text":"If absent, a new app is active, and an update keeps the stored value. An inactive app gets no tokens."},
      {"path":"App.RedirectURIs","kind":"texts","required":false,"text":"Where users return to after signing in, compared exactly: https, or http on the same machine. A native app may use a scheme of its own, such as com.example.app:/callback, and the port of its http address does not count. Required for web, spa and native, and empty for the other kinds."},
      {"path":"App.PostLogoutRedirectURIs","kind":"texts","required":false,"text":"Where users may return to after signing out, with the rules of RedirectURIs."},
      {"path":"App.BackchannelLogoutURI","kind":"text","required":false,"text":"The URL that is called when a user's session ends (OpenID Connect Back-Channel Logout). Empty means that no URL is called."},
      {"path":"App.Scopes","kind":"texts","required":false,"text":"The scopes that the app may ask for: openid, profile, email, offline_access, groups, account, and permissions such as app.reports.read, which limit what its tokens may do. If absent, a new app gets openid, profile and email, and a new service gets no scopes."},
      {"path":"App.Resources","kind":"texts","required":false,"text":"The services that may accept the app's tokens, as URIs such as https://api.example.com (RFC 8707)."},
      {"path":"App.TokenLifetimeSeconds","kind":"number","required":false,"text":"How long an access token is valid, in seconds. If absent on create, 300."},
      {"path":"App.RequireConsent","kind":"flag","required":false,"text":"Whether users are asked before the app gets their data."},
      {"path":"App.RequirePAR","kind":"flag","required":false,"text":"Whether the app has to push its authorization requests (RFC 9126)."},
      {"path":"App.DPoP","kind":"flag","required":false,"text":"Whether the app's tokens are bound to a key of its own (RFC 9449)."},
      {"path":"App.TokenEndpointAuthMethod","kind":"text","required":false,"text":"How the app authenticates: client_secret_basic, client_secret_post, private_key_jwt or none. An app of Kind web or service must authenticate, by default with client_secret_basic. The other kinds cannot keep a secret, so none is their only value."},
      {"path":"App.Jwks","kind":"text","required":false,"text":"The app's public keys as a JSON Web Key Set. Required with private_key_jwt."},
      {"path":"App.RefreshReuseSeconds","kind":"number","required":false,"text":"How long a refresh may be repeated and gets the same answer, in seconds, until the app uses its new refresh token; 0 = never. Any other second use of a refresh token ends the sign-in. If never sent, 30, or 10 for an app that neither authenticates nor uses DPoP."},
      {"path":"IfUpdatedAt","kind":"time","required":false,"text":"Save only if the stored app's UpdatedAt equals this time; otherwise fails with failed_precondition."},
      {"path":"Logo","kind":"bytes","required":false,"text":"The logo on the pages that ask people about the app: a PNG, JPEG or WebP image of at most 64 KiB, and at most 2048 pixels wide and high. If absent, the stored logo is kept; empty removes it."},
    ],
  },
  Audit_Anchor: {
    "text":"Returns a signed anchor of the current end of a tenant's hash chain. Keep it where the database administrators cannot change it: Audit_Verify uses it to prove later that no entry before it was changed or removed.","access":"a session or a bot key: the permission iam.audit.read in Tenant; or the permission iam.platform.audit.read on the platform, if Tenant is empty","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty means the platform's own entries."},
    ],
  },
  Audit_Export: {
    "text":"Exports the audit entries of a tenant as NDJSON or CSV, oldest first. If the export fails midway, the connection breaks without a regular end of the response.","access":"a session or a bot key: the permission iam.audit.export in Tenant; or the permission iam.platform.audit.read on the platform, if Tenant is empty","answers":"stream","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty means the platform's own entries."},
      {"path":"Format","kind":"text","required":false,"text":"ndjson or csv; empty means ndjson."},
      {"path":"Filter.Actions","kind":"texts","required":false,"text":""},
      {"path":"Filter.ActorIDs","kind":"texts","required":false,"text":""},
      {"path":"Filter.TargetIDs","kind":"texts","required":false,"text":""},
      {"path":"Filter.IP","kind":"text","required":false,"text":""},
      {"path":"Filter.Result","kind":"text","required":false,"text":"success, denied or failed."},
      {"path":"Filter.From","kind":"time","required":false,"text":"Start of the period, inclusive."},
      {"path":"Filter.To","kind":"time","required":false,"text":"End of the period, exclusive."},
      {"path":"Filter.ActionPrefix","kind":"text","required":false,"text":"The beginning of the action, such as group. for all changes of groups. No character is a wildcard."},
      {"path":"Filter.OperationPrefix","kind":"text","required":false,"text":"The beginning of the operation, such as Groups_ for all operations of groups. No character is a wildcard."},
    ],
  },
  Audit_List: {
    "text":"Lists the audit entries of a tenant, newest first. A call that combines several filters looks at a limited number of entries: a page may have fewer entries than its Limit, or none, while there is a NextCursor.","access":"a session or a bot key: the permission iam.audit.read in Tenant; or the permission iam.platform.audit.read on the platform, if Tenant is empty","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty means the platform's own entries."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Filter.Actions","kind":"texts","required":false,"text":""},
      {"path":"Filter.ActorIDs","kind":"texts","required":false,"text":""},
      {"path":"Filter.TargetIDs","kind":"texts","required":false,"text":""},
      {"path":"Filter.IP","kind":"text","required":false,"text":""},
      {"path":"Filter.Result","kind":"text","required":false,"text":"success, denied or failed."},
      {"path":"Filter.From","kind":"time","required":false,"text":"Start of the period, inclusive."},
      {"path":"Filter.To","kind":"time","required":false,"text":"End of the period, exclusive."},
      {"path":"Filter.ActionPrefix","kind":"text","required":false,"text":"The beginning of the action, such as group. for all changes of groups. No character is a wildcard."},
      {"path":"Filter.OperationPrefix","kind":"text","required":false,"text":"The beginning of the operation, such as Groups_ for all operations of groups. No character is a wildcard."},
      {"path":"OldestFirst","kind":"flag","required":false,"text":"Lists the oldest entries first."},
    ],
  },
  Audit_ListByUser: {
    "text":"Lists the audit entries of a user's own actions, newest first.","access":"a session or a bot key: being the user of UserID; or the permission iam.audit.read in Tenant; or the permission iam.platform.audit.read on the platform, if Tenant is empty","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Tenant","kind":"text","required":false,"text":"Restricts the list to the entries of this tenant."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Filter.Actions","kind":"texts","required":false,"text":""},
      {"path":"Filter.ActorIDs","kind":"texts","required":false,"text":""},
      {"path":"Filter.TargetIDs","kind":"texts","required":false,"text":""},
      {"path":"Filter.IP","kind":"text","required":false,"text":""},
      {"path":"Filter.Result","kind":"text","required":false,"text":"success, denied or failed."},
      {"path":"Filter.From","kind":"time","required":false,"text":"Start of the period, inclusive."},
      {"path":"Filter.To","kind":"time","required":false,"text":"End of the period, exclusive."},
      {"path":"Filter.ActionPrefix","kind":"text","required":false,"text":"The beginning of the action, such as group. for all changes of groups. No character is a wildcard."},
      {"path":"Filter.OperationPrefix","kind":"text","required":false,"text":"The beginning of the operation, such as Groups_ for all operations of groups. No character is a wildcard."},
    ],
  },
  Audit_Verify: {
    "text":"Verifies that the audit entries of a tenant are unchanged: recomputes their hashes, at most 20,000 entries a call.","access":"a session or a bot key: the permission iam.audit.read in Tenant; or the permission iam.platform.audit.read on the platform, if Tenant is empty","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty means the platform's own entries."},
      {"path":"Cursor","kind":"text","required":false,"text":"The NextCursor of the previous call. Empty means from the first entry."},
      {"path":"Anchor","kind":"text","required":false,"text":"The anchor that Audit_Anchor returned for this tenant. Empty means no anchor. Send the same anchor with every page of one verification."},
    ],
  },
  BotGrants_Add: {
    "text":"Grants a role to a bot. If the grant exists, only its expiry changes. Fails with not_found if the bot or role does not exist.","access":"a session or a bot key: the permission iam.grants.write in Grant.Tenant; or the permission iam.platform.grants.write on the platform, if Grant.Platform is true","answers":"record","tenant":"Grant.Tenant",
    fields: [
      {"path":"Grant.Tenant","kind":"text","required":false,"text":"Required unless Platform is true."},
      {"path":"Grant.Bot","kind":"text","required":true,"text":""},
      {"path":"Grant.Role","kind":"text","required":true,"text":"The role's slug."},
      {"path":"Grant.Resource","kind":"text","required":false,"text":"The application's own name of the resource that the grant is limited to. Empty means the whole tenant."},
      {"path":"Grant.ExpiresAt","kind":"time","required":false,"text":"When the grant expires. If absent, it never expires."},
      {"path":"Grant.Platform","kind":"flag","required":false,"text":"True for a grant on the platform, which applies in every tenant. Send it without Tenant."},
      {"path":"Reason","kind":"text","required":false,"text":"Why the caller grants a role on the platform: it is in the audit, and the operators (at most 50) read it in a mail."},
    ],
  },
  BotGrants_ListByTenant: {
    "text":"Lists the grants to bots in a tenant.","access":"a session or a bot key: the permission iam.grants.read in Tenant; or the permission iam.platform.grants.read on the platform, if Platform is true","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Required unless Platform is true."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Platform","kind":"flag","required":false,"text":"True to list the grants on the platform. Send it without Tenant."},
      {"path":"IncludePlatform","kind":"flag","required":false,"text":"Whether to include the active grants on the platform, which apply in the tenant too. They have Platform set to true and no CreatedBy."},
      {"path":"Bot","kind":"text","required":false,"text":"Only the grants of this bot."},
      {"path":"Role","kind":"text","required":false,"text":"The slug of a role: only its grants. Empty selects the grants of all roles."},
    ],
  },
  BotGrants_Remove: {
    "text":"Revokes the grant with this Tenant (or Platform), Bot, Role and Resource.","access":"a session or a bot key: the permission iam.grants.write in Grant.Tenant; or the permission iam.platform.grants.write on the platform, if Grant.Platform is true","answers":"record","tenant":"Grant.Tenant",
    fields: [
      {"path":"Grant.Tenant","kind":"text","required":false,"text":"Required unless Platform is true."},
      {"path":"Grant.Bot","kind":"text","required":true,"text":""},
      {"path":"Grant.Role","kind":"text","required":true,"text":"The role's slug."},
      {"path":"Grant.Resource","kind":"text","required":false,"text":"The application's own name of the resource that the grant is limited to. Empty means the whole tenant."},
      {"path":"Grant.ExpiresAt","kind":"time","required":false,"text":"When the grant expires. If absent, it never expires."},
      {"path":"Grant.Platform","kind":"flag","required":false,"text":"True for a grant on the platform, which applies in every tenant. Send it without Tenant."},
    ],
  },
  BotKeys_Create: {
    "text":"Creates a key. Its secret is in the response and is never shown again.","access":"a session or a bot key: the permission iam.botkeys.write in Tenant; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Bot","kind":"text","required":true,"text":""},
      {"path":"Name","kind":"text","required":true,"text":""},
      {"path":"ExpiresAt","kind":"time","required":false,"text":"At most 365 days ahead, or fewer if the tenant limits it. If absent, 90 days ahead."},
      {"path":"Permissions","kind":"texts","required":false,"text":"Narrows the key to these permissions of the bot. Empty means all of them."},
      {"path":"AllowedIPs","kind":"texts","required":false,"text":"IP addresses and networks that the key may be used from, such as 192.0.2.0/24. Empty means all. From elsewhere the key is rejected with 401."},
    ],
  },
  BotKeys_Get: {
    "text":"Returns one key, without its secret.","access":"a session or a bot key: the permission iam.bots.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  BotKeys_List: {
    "text":"Lists the keys of a bot, including expired and revoked ones.","access":"a session or a bot key: the permission iam.bots.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Bot","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  BotKeys_Rotate: {
    "text":"Creates the successor of a key, with the same bot, name, permissions and networks. The old key works for at most 24 more hours. A bot may rotate only its own keys. If the maker's right to grant the key's permissions ends, so do the key and those that its bot makes with it. Fails with failed_precondition for a key that has ended or was rotated already.","access":"a session or a bot key: the permission iam.botkeys.write in Tenant; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"ExpiresAt","kind":"time","required":false,"text":"At most 365 days ahead, or fewer if the tenant limits it. If absent, 90 days ahead."},
    ],
  },
  BotKeys_SetExpiration: {
    "text":"Changes a key's expiry. Now or a time in the past revokes the key. Fails with failed_precondition for a key that has expired, was revoked, or was rotated and would live longer. An extension takes the right to grant the key's permissions, until the new expiry.","access":"a session or a bot key: the permission iam.botkeys.write in Tenant; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"ExpiresAt","kind":"time","required":true,"text":"At most 365 days ahead, or fewer if the tenant limits it. Now or a time in the past revokes the key."},
    ],
  },
  BotTrusts_Delete: {
    "text":"Deletes a trust.","access":"a session or a bot key: the permission iam.botkeys.write in Tenant; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  BotTrusts_Get: {
    "text":"Returns one trust.","access":"a session or a bot key: the permission iam.bots.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  BotTrusts_List: {
    "text":"Lists the trusts of a bot.","access":"a session or a bot key: the permission iam.bots.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Bot","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  BotTrusts_Save: {
    "text":"Creates a trust, or updates the one with this ID. A bot has a maximum number of trusts (failed_precondition). A caller whose right to grant the bot's permissions ends cannot save it.","access":"a session or a bot key: the permission iam.botkeys.write in Trust.Tenant; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Trust.Tenant",
    fields: [
      {"path":"Trust.ID","kind":"text","required":false,"text":"Empty on save to create a new trust."},
      {"path":"Trust.Tenant","kind":"text","required":true,"text":""},
      {"path":"Trust.Bot","kind":"text","required":false,"text":"The bot that the token stands for. It never changes. Required on create. If absent on update, the stored value is kept."},
      {"path":"Trust.Issuer","kind":"text","required":false,"text":"The token's issuer (iss), compared exactly, such as https://token.actions.githubusercontent.com. Required on create. If absent on update, the stored value is kept."},
      {"path":"Trust.Audience","kind":"text","required":false,"text":"One of the token's audiences (aud), compared exactly. Required on create. If absent on update, the stored value is kept."},
      {"path":"Trust.Subject","kind":"text","required":false,"text":"The token's subject (sub), or its beginning and \"*\": system:serviceaccount:ci:deployer, or repo:acme/app:*. Required on create. If absent on update, the stored value is kept."},
      {"path":"Trust.Claims","kind":"map","required":false,"text":"Further claims that the token must have, each a text with the rules of Subject, such as {\"repository_owner_id\": \"583231\"}. If absent on update, the stored value is kept."},
      {"path":"Trust.JWKS","kind":"text","required":false,"text":"The issuer's public keys as a JSON Web Key Set, for an issuer that Bailiwick cannot reach, such as a cluster's. If empty, they are fetched from the issuer. If absent on update, the stored value is kept."},
      {"path":"IfUpdatedAt","kind":"time","required":false,"text":"Save only if the stored trust's UpdatedAt equals this time; otherwise fails with failed_precondition."},
    ],
  },
  Bots_Delete: {
    "text":"Deletes a bot with its keys and grants.","access":"a session or a bot key: the permission iam.bots.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Bots_Get: {
    "text":"Returns one bot.","access":"a session or a bot key: the permission iam.bots.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Bots_GetCounts: {
    "text":"Counts the bots of a tenant, and their keys that expire within 30 days.","access":"a session or a bot key: the permission iam.bots.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Bots_List: {
    "text":"Lists the bots of a tenant. A call that filters looks at a limited number of bots: a page may have fewer than its Limit, or none, while there is a NextCursor.","access":"a session or a bot key: the permission iam.bots.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Query","kind":"text","required":false,"text":"A part of the name, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name or of its last word. No character is a wildcard. Empty selects all bots."},
      {"path":"Status","kind":"text","required":false,"text":"Empty selects all bots."},
      {"path":"From","kind":"time","required":false,"text":"Bots created at or after this time."},
      {"path":"To","kind":"time","required":false,"text":"Bots created before this time."},
      {"path":"Sort","kind":"text","required":false,"text":"The order: name or created. Empty means by ID."},
      {"path":"Descending","kind":"flag","required":false,"text":"Reverses the order."},
    ],
  },
  Bots_Lock: {
    "text":"Locks a bot: makes it inactive and returns a receipt of who held its rights. Its keys and tokens are refused from the reply on. Bots_Save with Active restores it. Locking a locked bot that was not changed since returns the receipt of that lock. As for Delete, the caller must be able to grant what the bot holds.","access":"a session or a bot key: the permission iam.bots.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"Reason","kind":"text","required":false,"text":"Why: it is in the audit and the receipt."},
    ],
  },
  Bots_Save: {
    "text":"Creates a bot, or updates the one with this ID. A tenant has a maximum number of bots (failed_precondition).","access":"a session or a bot key: the permission iam.bots.write in Bot.Tenant","answers":"record","tenant":"Bot.Tenant",
    fields: [
      {"path":"Bot.ID","kind":"text","required":false,"text":"Empty on save to create a new bot."},
      {"path":"Bot.Tenant","kind":"text","required":true,"text":""},
      {"path":"Bot.Name","kind":"text","required":false,"text":"Required on create. If absent on update, the stored value is kept."},
      {"path":"Bot.Description","kind":"text","required":false,"text":""},
      {"path":"Bot.Active","kind":"flag","required":false,"text":"The keys of an inactive bot are rejected. If absent, the stored value is kept; a new bot is active."},
      {"path":"Bot.Metadata","kind":"map","required":false,"text":""},
      {"path":"IfUpdatedAt","kind":"time","required":false,"text":"Save only if the stored bot's UpdatedAt equals this time; otherwise fails with failed_precondition."},
    ],
  },
  Chat_CreateEndpoint: {
    "text":"Creates an endpoint. Its URL is encrypted and never shown again. A tenant has a maximum number of endpoints (failed_precondition).","access":"a session or a bot key: the permission iam.chat.write in Endpoint.Tenant","answers":"record","tenant":"Endpoint.Tenant",
    fields: [
      {"path":"Endpoint.Tenant","kind":"text","required":false,"text":"If absent on create, the bot's tenant or the user's only tenant. It never changes."},
      {"path":"Endpoint.Name","kind":"text","required":true,"text":""},
      {"path":"Endpoint.Active","kind":"flag","required":false,"text":"If absent on update, the stored value is kept."},
      {"path":"Endpoint.EventTypes","kind":"texts","required":false,"text":"The event types to receive. \"user.*\" means every event type that begins with \"user.\". Empty means all event types."},
      {"path":"Endpoint.Description","kind":"text","required":false,"text":""},
      {"path":"Endpoint.Kind","kind":"text","required":false,"text":"The format of the messages: slack, teams, discord, mattermost or generic. If absent, the URL decides on create and with a new URL. Choose one for a host of your own, such as a proxy."},
      {"path":"URL","kind":"secret","required":true,"text":"The incoming-webhook URL of the chat service. It is encrypted and never returned."},
    ],
  },
  Chat_DeleteEndpoint: {
    "text":"Deletes an endpoint. Its pending deliveries are dropped.","access":"a session or a bot key: the permission iam.chat.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Chat_GetEndpoint: {
    "text":"Returns one endpoint.","access":"a session or a bot key: the permission iam.chat.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Chat_GetMessage: {
    "text":"Returns a message that was sent to an endpoint, with its body and attempts. Bodies are kept for 7 days by default.","access":"a session or a bot key: the permission iam.chat.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":"The endpoint."},
      {"path":"MessageID","kind":"text","required":true,"text":"The message's identifier: the ID of its attempts."},
    ],
  },
  Chat_GetStats: {
    "text":"Counts the tenant's endpoints, and their delivery attempts of the last 30 days.","access":"a session or a bot key: the permission iam.chat.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":false,"text":"Restricts the attempts to this endpoint. Empty means all endpoints, deleted ones included."},
    ],
  },
  Chat_ListAttempts: {
    "text":"Lists the delivery attempts of the last 30 days to the tenant's endpoints, newest first, without bodies.","access":"a session or a bot key: the permission iam.chat.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Endpoint","kind":"text","required":false,"text":""},
      {"path":"Outcome","kind":"text","required":false,"text":"The result of the attempt."},
      {"path":"EventType","kind":"text","required":false,"text":""},
      {"path":"Since","kind":"time","required":false,"text":"Attempts that began at or after this time."},
      {"path":"Until","kind":"time","required":false,"text":"Attempts that began before this time."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Latest","kind":"flag","required":false,"text":"Only the latest attempt of each message, so that a message is listed once."},
    ],
  },
  Chat_ListEndpoints: {
    "text":"Lists the endpoints of a tenant.","access":"a session or a bot key: the permission iam.chat.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Chat_ReplayFailed: {
    "text":"Sends the failed deliveries of an endpoint again, each with a full set of attempts. Fails with failed_precondition if the endpoint is inactive.","access":"a session or a bot key: the permission iam.chat.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"Since","kind":"time","required":false,"text":"Start of the period, inclusive. If absent, all stored deliveries: those of the last 30 days."},
      {"path":"Until","kind":"time","required":false,"text":"End of the period, exclusive. If absent, now."},
    ],
  },
  Chat_Resend: {
    "text":"Sends one message again to its endpoint, with the same identifier and body and a full set of attempts. Fails with failed_precondition if the endpoint is inactive.","access":"a session or a bot key: the permission iam.chat.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":"The endpoint."},
      {"path":"MessageID","kind":"text","required":true,"text":"The message's identifier: the ID of its attempts."},
      {"path":"Now","kind":"flag","required":false,"text":"Makes the next attempt of a waiting message at once. It counts as one of the message's attempts. A pause that follows too many failed attempts ends, and one that the receiver asked for stays. Counts towards the limits of SendTest."},
    ],
  },
  Chat_SendTest: {
    "text":"Sends an endpoint.ping event to one endpoint at once, without retries. The endpoint may be inactive, so that it can be tested before it is activated. At most ten tests a minute for each endpoint, and 60 for each tenant (resource_exhausted).","access":"a session or a bot key: the permission iam.chat.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Chat_UpdateEndpoint: {
    "text":"Updates an endpoint. Name is required; an empty URL keeps the stored one.","access":"a session or a bot key: the permission iam.chat.write in Endpoint.Tenant; or if the request names no Tenant, iam.chat.write in the stored endpoint's tenant; without it the result is not_found","answers":"record","tenant":"Endpoint.Tenant",
    fields: [
      {"path":"Endpoint.ID","kind":"text","required":false,"text":"Set by the service on create, required on update."},
      {"path":"Endpoint.Tenant","kind":"text","required":false,"text":"If absent on create, the bot's tenant or the user's only tenant. It never changes."},
      {"path":"Endpoint.Name","kind":"text","required":true,"text":""},
      {"path":"Endpoint.Active","kind":"flag","required":false,"text":"If absent on update, the stored value is kept."},
      {"path":"Endpoint.EventTypes","kind":"texts","required":false,"text":"The event types to receive. \"user.*\" means every event type that begins with \"user.\". Empty means all event types."},
      {"path":"Endpoint.Description","kind":"text","required":false,"text":""},
      {"path":"Endpoint.Kind","kind":"text","required":false,"text":"The format of the messages: slack, teams, discord, mattermost or generic. If absent, the URL decides on create and with a new URL. Choose one for a host of your own, such as a proxy."},
      {"path":"URL","kind":"secret","required":false,"text":"Empty keeps the stored URL."},
    ],
  },
  Domain_Create: {
    "text":"Claims a domain. The response contains the DNS TXT record that proves ownership within seven days. The service looks for it by itself, in growing intervals. Fails with already_exists if the tenant has the domain already.","access":"a session or a bot key: the permission iam.domains.write in Tenant; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Name","kind":"text","required":true,"text":"The domain name, such as example.com. International names are accepted in both forms."},
      {"path":"Capture","kind":"text","required":false,"text":"off, suggest, join or require_sso; empty means off."},
      {"path":"DefaultRole","kind":"text","required":false,"text":"The role of users who join through the domain. It cannot be owner. Empty means the tenant's default role."},
    ],
  },
  Domain_Delete: {
    "text":"Deletes the claim to a domain.","access":"a session or a bot key: the permission iam.domains.write in Tenant; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Domain_Get: {
    "text":"Returns one domain.","access":"a session or a bot key: the permission iam.domains.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Domain_Join: {
    "text":"Makes the caller a member of a suggested tenant, with the domain's DefaultRole.","access":"a session, about the caller","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Domain_List: {
    "text":"Lists the domains of a tenant.","access":"a session or a bot key: the permission iam.domains.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Domain_ListSuggestions: {
    "text":"Lists the tenants that the caller may join because of the domain of its verified address: those with Capture suggest, or join if the caller's account is older than the claim.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Domain_Update: {
    "text":"Updates the settings of a domain. Absent fields keep their values.","access":"a session or a bot key: the permission iam.domains.write in Tenant; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"Capture","kind":"text","required":false,"text":"off, suggest, join or require_sso."},
      {"path":"DefaultRole","kind":"text","required":false,"text":"The role of users who join through the domain. It cannot be owner. Empty means the tenant's default role."},
    ],
  },
  Domain_Verify: {
    "text":"Looks up the TXT record now, at most once a minute. If it is missing, the domain stays pending, and FailureReason gives the reason.","access":"a session or a bot key: the permission iam.domains.write in Tenant; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Events_Publish: {
    "text":"Publishes an application's event to the tenant's endpoints that subscribe to its type. It is delivered like every other event: in the same envelope, signed, with retries, to webhooks and to chat.","access":"a session or a bot key: the permission iam.events.publish in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Type","kind":"text","required":true,"text":"The event's type, such as report.finished. The event families of the service itself are rejected."},
      {"path":"Body","kind":"bytes","required":true,"text":"A JSON object in UTF-8, at most 64 KiB. It becomes the event's data, byte for byte."},
      {"path":"ID","kind":"text","required":false,"text":"The caller's own identifier of this event. A second call with the same identifier within ten minutes publishes nothing and returns the first response. If empty, every call publishes."},
    ],
  },
  Events_PublishBatch: {
    "text":"Publishes up to 1000 events of an application to the tenant's endpoints, each like Publish: an event is checked, counted against the tenant's limit and published by itself. The response has one result for each event, so that one that is refused keeps no other out. Send refused events again with another Idempotency-Key: the first one has the results of the whole call. If the limit allows no event and there is no other result, the call fails with resource_exhausted. The whole body is at most 1 MiB.","access":"a session or a bot key: the permission iam.events.publish in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Events","kind":"json","required":true,"text":""},
    ],
  },
  Factors_BeginTotp: {
    "text":"Starts to add an authenticator app. Its secret is shown only here. The factor counts once Factors_ConfirmTotp has received a code of the app. A new start voids an unconfirmed one.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"Name","kind":"text","required":true,"text":""},
    ],
  },
  Factors_ConfirmTotp: {
    "text":"Adds the authenticator app, if the code is right. Mails the user.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"FactorID","kind":"text","required":true,"text":""},
      {"path":"Code","kind":"secret","required":true,"text":"Six digits."},
    ],
  },
  Factors_List: {
    "text":"Lists all factors of the caller.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Factors_Remove: {
    "text":"Removes a factor of the caller and mails the user. Removing the last one also removes the recovery codes, and is refused while a tenant of the caller requires a factor. Nothing changes if the caller has no such factor.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Grants_Add: {
    "text":"Grants a role to a user. If the grant exists, only its expiry changes. Fails with not_found if the role does not exist.","access":"a session or a bot key: the permission iam.grants.write in Grant.Tenant; or the permission iam.platform.grants.write on the platform, if Grant.Platform is true","answers":"record","tenant":"Grant.Tenant",
    fields: [
      {"path":"Grant.Tenant","kind":"text","required":false,"text":"Required unless Platform is true."},
      {"path":"Grant.UserID","kind":"text","required":true,"text":""},
      {"path":"Grant.Role","kind":"text","required":true,"text":"The role's slug."},
      {"path":"Grant.Resource","kind":"text","required":false,"text":"The application's own name of the resource that the grant is limited to. Empty means the whole tenant."},
      {"path":"Grant.ExpiresAt","kind":"time","required":false,"text":"When the grant expires. If absent, it never expires."},
      {"path":"Grant.Platform","kind":"flag","required":false,"text":"True for a grant on the platform, which applies in every tenant. Send it without Tenant."},
      {"path":"Reason","kind":"text","required":false,"text":"Why the caller grants a role on the platform: it is in the audit, and the operators (at most 50) read it in a mail."},
    ],
  },
  Grants_List: {
    "text":"Lists a user's grants in all tenants whose grants the caller may read.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.grants.read on the platform; or only the grants in tenants where the caller holds iam.grants.read","answers":"page","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Grants_ListByTenant: {
    "text":"Lists the grants to users in a tenant.","access":"a session or a bot key: the permission iam.grants.read in Tenant; or the permission iam.platform.grants.read on the platform, if Platform is true","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Required unless Platform is true."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Platform","kind":"flag","required":false,"text":"True to list the grants on the platform. Send it without Tenant."},
      {"path":"IncludePlatform","kind":"flag","required":false,"text":"Whether to include the active grants on the platform, which apply in the tenant too. They have Platform set to true and no CreatedBy."},
      {"path":"UserID","kind":"text","required":false,"text":"Only the grants of this user."},
      {"path":"Role","kind":"text","required":false,"text":"The slug of a role: only its grants. Empty selects the grants of all roles."},
    ],
  },
  Grants_Remove: {
    "text":"Revokes the grant with this Tenant (or Platform), UserID, Role and Resource. The last owner of a tenant cannot be removed (failed_precondition).","access":"a session or a bot key: the permission iam.grants.write in Grant.Tenant; or the permission iam.platform.grants.write on the platform, if Grant.Platform is true","answers":"record","tenant":"Grant.Tenant",
    fields: [
      {"path":"Grant.Tenant","kind":"text","required":false,"text":"Required unless Platform is true."},
      {"path":"Grant.UserID","kind":"text","required":true,"text":""},
      {"path":"Grant.Role","kind":"text","required":true,"text":"The role's slug."},
      {"path":"Grant.Resource","kind":"text","required":false,"text":"The application's own name of the resource that the grant is limited to. Empty means the whole tenant."},
      {"path":"Grant.ExpiresAt","kind":"time","required":false,"text":"When the grant expires. If absent, it never expires."},
      {"path":"Grant.Platform","kind":"flag","required":false,"text":"True for a grant on the platform, which applies in every tenant. Send it without Tenant."},
    ],
  },
  GroupGrants_Add: {
    "text":"Grants a role to a group. If the grant exists, only its expiry changes. Fails with not_found if the group or role does not exist.","access":"a session or a bot key: the permission iam.grants.write in Grant.Tenant","answers":"record","tenant":"Grant.Tenant",
    fields: [
      {"path":"Grant.Tenant","kind":"text","required":true,"text":""},
      {"path":"Grant.Group","kind":"text","required":true,"text":"The group's path."},
      {"path":"Grant.Role","kind":"text","required":true,"text":"The role's slug."},
      {"path":"Grant.Resource","kind":"text","required":false,"text":"The application's own name of the resource that the grant is limited to. Empty means the whole tenant."},
      {"path":"Grant.ExpiresAt","kind":"time","required":false,"text":"When the grant expires. If absent, it never expires."},
    ],
  },
  GroupGrants_ListByTenant: {
    "text":"Lists the grants to groups in a tenant.","access":"a session or a bot key: the permission iam.grants.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Group","kind":"text","required":false,"text":"The path of a group: only its own grants, and not those of the groups above it."},
      {"path":"Role","kind":"text","required":false,"text":"The slug of a role: only its grants. Empty selects the grants of all roles."},
    ],
  },
  GroupGrants_Remove: {
    "text":"Revokes the grant with this Tenant, Group, Role and Resource.","access":"a session or a bot key: the permission iam.grants.write in Grant.Tenant","answers":"record","tenant":"Grant.Tenant",
    fields: [
      {"path":"Grant.Tenant","kind":"text","required":true,"text":""},
      {"path":"Grant.Group","kind":"text","required":true,"text":"The group's path."},
      {"path":"Grant.Role","kind":"text","required":true,"text":"The role's slug."},
      {"path":"Grant.Resource","kind":"text","required":false,"text":"The application's own name of the resource that the grant is limited to. Empty means the whole tenant."},
      {"path":"Grant.ExpiresAt","kind":"time","required":false,"text":"When the grant expires. If absent, it never expires."},
    ],
  },
  Groups_AddMember: {
    "text":"Adds a member of the tenant to a group. If the user is in the group already, nothing changes. Fails with not_found if the group or the tenant member does not exist.","access":"a session or a bot key: the permission iam.groups.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Group","kind":"text","required":true,"text":"The group's path."},
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  Groups_Delete: {
    "text":"Deletes a group with its memberships and grants. The groups below it remain.","access":"a session or a bot key: the permission iam.groups.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Path","kind":"text","required":true,"text":""},
    ],
  },
  Groups_Get: {
    "text":"Returns one group, or null if there is no group with this path.","access":"a session or a bot key: the permission iam.groups.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Path","kind":"text","required":true,"text":""},
    ],
  },
  Groups_List: {
    "text":"Lists the groups of a tenant. A call that filters looks at a limited number of groups: a page may have fewer than its Limit, or none, while there is a NextCursor.","access":"a session or a bot key: the permission iam.groups.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Query","kind":"text","required":false,"text":"A part of the name or path, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name, of its last word, of the path or of its last part. No character is a wildcard. Empty selects all groups."},
      {"path":"From","kind":"time","required":false,"text":"Groups created at or after this time."},
      {"path":"To","kind":"time","required":false,"text":"Groups created before this time."},
      {"path":"Sort","kind":"text","required":false,"text":"The order: name, path or created. Empty means by ID."},
      {"path":"Descending","kind":"flag","required":false,"text":"Reverses the order."},
    ],
  },
  Groups_ListByTenant: {
    "text":"Lists the groups of a tenant, the same as Groups_List.","access":"a session or a bot key: the permission iam.groups.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Query","kind":"text","required":false,"text":"A part of the name or path, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name, of its last word, of the path or of its last part. No character is a wildcard. Empty selects all groups."},
      {"path":"From","kind":"time","required":false,"text":"Groups created at or after this time."},
      {"path":"To","kind":"time","required":false,"text":"Groups created before this time."},
      {"path":"Sort","kind":"text","required":false,"text":"The order: name, path or created. Empty means by ID."},
      {"path":"Descending","kind":"flag","required":false,"text":"Reverses the order."},
    ],
  },
  Groups_ListMemberGroups: {
    "text":"Lists the groups of a user in all tenants whose groups the caller may read.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.groups.read on the platform; or only the groups of tenants where the caller holds iam.groups.read","answers":"page","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Effective","kind":"flag","required":false,"text":"Whether to include the parent groups of the user's groups."},
    ],
  },
  Groups_ListMembers: {
    "text":"Lists the ids of the users in a group. A call that searches looks at a limited number of users: a page may have fewer than its Limit, or none, while there is a NextCursor.","access":"a session or a bot key: the permission iam.groups.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Group","kind":"text","required":true,"text":"The group's path."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Effective","kind":"flag","required":false,"text":"Whether to include the members of the groups below this one."},
      {"path":"Query","kind":"text","required":false,"text":"A part of the user's name or address, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name, of its last word or of the address. No character is a wildcard. Empty selects all members. Requires iam.users.read."},
      {"path":"Sort","kind":"text","required":false,"text":"The order: name or email, which require iam.users.read. Empty means by ID."},
      {"path":"Descending","kind":"flag","required":false,"text":"Reverses the order."},
    ],
  },
  Groups_RemoveMember: {
    "text":"Removes a user from a group.","access":"a session or a bot key: the permission iam.groups.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Group","kind":"text","required":true,"text":"The group's path."},
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  Groups_Save: {
    "text":"Creates the group with this tenant and path, or updates it.","access":"a session or a bot key: the permission iam.groups.write in Group.Tenant","answers":"record","tenant":"Group.Tenant",
    fields: [
      {"path":"Group.Tenant","kind":"text","required":true,"text":""},
      {"path":"Group.Path","kind":"text","required":true,"text":"The place of the group in the hierarchy, such as eng/backend. Paths ignore letter case and a leading \"/\"."},
      {"path":"Group.Name","kind":"text","required":false,"text":""},
      {"path":"Group.Description","kind":"text","required":false,"text":""},
      {"path":"Group.ExternalID","kind":"text","required":false,"text":"The group's ID in another system."},
      {"path":"Group.Metadata","kind":"map","required":false,"text":""},
      {"path":"IfUpdatedAt","kind":"time","required":false,"text":"Save only if the stored group's UpdatedAt equals this time; otherwise fails with failed_precondition."},
    ],
  },
  Keys_Rotate: {
    "text":"Gives a tenant a new data key, or all tenants in the background. The records of the previous key are re-encrypted while the service runs.","access":"a session or a bot key: the permission iam.platform.keys.write on the platform","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty replaces the data keys of all tenants and of the platform."},
      {"path":"WithdrawSigningKeys","kind":"flag","required":false,"text":"Also removes the keys that sign tokens at once, for a key that has leaked: new ones sign, and with the reply no token of the old ones opens an operation. Sessions and refresh tokens stay valid. Without it the old keys stay valid until their tokens have expired."},
    ],
  },
  Keys_Status: {
    "text":"Returns the key-encryption keys, how many data keys each of them wraps, and the pending work of a rotation.","access":"a session or a bot key: the permission iam.platform.keys.read on the platform","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty lists no data keys: the response then has only the totals."},
    ],
  },
  LockReceipts_Get: {
    "text":"Returns a receipt with its present rows. With a Tenant, the receipt of a bot or app of the tenant is whole. That of a user has the tenant's rows only, without the reason and the operator; the result is not_found unless the user is a member of the tenant or the receipt has rows of it. A receipt is kept for 400 days, and that of a user or bot for as long as it is locked.","access":"a session or a bot key: the permission iam.users.read in Tenant; or the permission iam.platform.users.read on the platform, if Tenant is empty","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"Tenant","kind":"text","required":false,"text":"Empty for the whole receipt, for operators of the platform."},
    ],
  },
  Mail_DeleteSuppression: {
    "text":"Allows mail to an address again, for example after its mailbox was restored.","access":"a session or a bot key: the permission iam.platform.mail.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  Mail_GetSuppression: {
    "text":"Returns why and until when an address gets no mail. Fails with not_found if the address is not suppressed.","access":"a session or a bot key: the permission iam.platform.mail.read on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  Operators_Claim: {
    "text":"Makes the caller the first operator, with the role platform-owner on the platform. The token is in the link that the local start and the command deploy/operator-link.ts print. It works once, for one hour, and only while no user holds a role on the platform (failed_precondition).","access":"a session: the caller has a verified address and the token of the installation's link, and no user holds a role on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Token","kind":"secret","required":true,"text":""},
    ],
  },
  Passkeys_BeginRegistration: {
    "text":"Returns the options with which a page of this service asks the browser for a new passkey (navigator.credentials.create). The sign-in must be at most 15 minutes old.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Passkeys_Delete: {
    "text":"Deletes one of the caller's passkeys, and mails the user a notice. Nothing changes if it is deleted already. Sessions that it opened go on. The sign-in must be at most 15 minutes old.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Passkeys_FinishRegistration: {
    "text":"Stores the passkey that the browser has made, and mails the user a notice. The options work once, for ten minutes and in the session that asked for them. The sign-in must be at most 15 minutes old.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"Credential","kind":"secret","required":true,"text":"RegistrationResponseJSON (WebAuthn) as JSON text: JSON.stringify of the browser's credential."},
      {"path":"Name","kind":"text","required":true,"text":"The user's own name for it, such as \"Laptop\"."},
    ],
  },
  Passkeys_List: {
    "text":"Lists the caller's passkeys.","access":"a session, about the caller","answers":"page","tenant":"",
    fields: [
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Passkeys_Rename: {
    "text":"Changes the name of one of the caller's passkeys.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"Name","kind":"text","required":true,"text":""},
    ],
  },
  Portal_Close: {
    "text":"Ends the session. The link opens another one.","access":"a portal session: the permission iam.internal.portal.read on the platform","answers":"record","tenant":"",
    fields: [],
  },
  Portal_ExplainDelivery: {
    "text":"Explains what became of an event at the endpoint: its attempts, and what the next one waits for. not_found if the endpoint does not get the event.","access":"a portal session: the permission iam.internal.portal.read on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Event","kind":"text","required":true,"text":"The event's ID, which is the ID of its message and the header webhook-id."},
    ],
  },
  Portal_Get: {
    "text":"Returns the endpoint and what the link can do.","access":"a portal session: the permission iam.internal.portal.read on the platform","answers":"record","tenant":"",
    fields: [],
  },
  Portal_GetMessage: {
    "text":"Returns a message that was sent to the endpoint, with its body and attempts.","access":"a portal session: the permission iam.internal.portal.bodies on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"MessageID","kind":"text","required":true,"text":"The message's identifier: the ID of its attempts, and the header webhook-id."},
    ],
  },
  Portal_ListAttempts: {
    "text":"Lists the delivery attempts of the last 30 days to the endpoint, newest first.","access":"a portal session: the permission iam.internal.portal.read on the platform","answers":"page","tenant":"",
    fields: [
      {"path":"Outcome","kind":"text","required":false,"text":"The result of the attempt."},
      {"path":"EventType","kind":"text","required":false,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Latest","kind":"flag","required":false,"text":"Only the latest attempt of each message, so that a message is listed once."},
    ],
  },
  Portal_Open: {
    "text":"Exchanges the token of a link for the token of a session, which lasts an hour. A link has one session at a time: this ends the earlier one.","access":"everyone","answers":"record","tenant":"",
    fields: [
      {"path":"Token","kind":"secret","required":true,"text":"The fragment of the link."},
    ],
  },
  Portal_ReplayFailed: {
    "text":"Sends the failed deliveries of the endpoint again, each with a full set of attempts. Fails with failed_precondition if the endpoint is inactive.","access":"a portal session: the permission iam.internal.portal.replay on the platform","answers":"record","tenant":"",
    fields: [],
  },
  Portal_Resend: {
    "text":"Sends one message again, with the same identifier and body and a full set of attempts. Fails with failed_precondition if the endpoint is inactive.","access":"a portal session: the permission iam.internal.portal.replay on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"MessageID","kind":"text","required":true,"text":"The message's identifier: the ID of its attempts, and the header webhook-id."},
      {"path":"Now","kind":"flag","required":false,"text":"Makes the next attempt of a waiting message at once. It counts as one of the message's attempts. A pause that follows too many failed attempts ends, and one that the receiver asked for stays. Counts towards the limits of SendTest."},
    ],
  },
  Portal_RotateSecret: {
    "text":"Replaces the signing secret of the endpoint. The new secret is in the response and is never shown again. The previous secret also signs until the grace period ends.","access":"a portal session: the permission iam.internal.portal.rotate on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"GraceSeconds","kind":"number","required":false,"text":"How long the previous secret also signs, in seconds. If absent, 86400 (one day); 0 ends it at once; at most 604800 (one week)."},
    ],
  },
  Portal_SendTest: {
    "text":"Sends an endpoint.ping event to the endpoint at once, without retries.","access":"a portal session: the permission iam.internal.portal.test on the platform","answers":"record","tenant":"",
    fields: [],
  },
  Queues_Status: {
    "text":"Returns the lanes of the queue and the endpoints that fail, of all tenants.","access":"a session or a bot key: the permission iam.platform.queues.read on the platform","answers":"record","tenant":"",
    fields: [],
  },
  RecoveryCodes_Generate: {
    "text":"Replaces the caller's recovery codes and mails the user. The codes are shown only here. Needs a factor, and a sign-in within the last 15 minutes.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Roles_Delete: {
    "text":"Deletes a role. Fails with failed_precondition while the role is granted or is the tenant's default role.","access":"a session or a bot key: the permission iam.roles.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Slug","kind":"text","required":true,"text":""},
    ],
  },
  Roles_Get: {
    "text":"Returns one role, or null if there is no role with this slug.","access":"a session or a bot key: the permission iam.roles.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Slug","kind":"text","required":true,"text":""},
    ],
  },
  Roles_List: {
    "text":"Lists the roles of a tenant, including the built-in ones.","access":"a session or a bot key: the permission iam.roles.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Roles_ListByTenant: {
    "text":"Lists the roles of a tenant, the same as Roles_List.","access":"a session or a bot key: the permission iam.roles.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Roles_ListPermissions: {
    "text":"Lists Bailiwick's own permissions that a role of the tenant (or of the platform) can hold, each with a description and the operations that require it. An application's permissions are not listed: a role can name them freely.","access":"a session or a bot key: the permission iam.roles.read in Tenant; or the permission iam.platform.grants.read on the platform, if Platform is true","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Required unless Platform is true."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Platform","kind":"flag","required":false,"text":"True to list the permissions of the platform. Send it without Tenant."},
    ],
  },
  Roles_Save: {
    "text":"Creates the role with this tenant and slug, or updates it. A caller can put only permissions into a role that it holds itself.","access":"a session or a bot key: the permission iam.roles.write in Role.Tenant","answers":"record","tenant":"Role.Tenant",
    fields: [
      {"path":"Role.Tenant","kind":"text","required":true,"text":""},
      {"path":"Role.Slug","kind":"text","required":true,"text":"The name of the role within its tenant. It never changes."},
      {"path":"Role.Name","kind":"text","required":false,"text":""},
      {"path":"Role.Description","kind":"text","required":false,"text":""},
      {"path":"Role.Permissions","kind":"texts","required":false,"text":"The permissions of the role, such as app.reports.read or app.reports.*; at most 200. Names that begin with iam. are Bailiwick's own."},
      {"path":"IfUpdatedAt","kind":"time","required":false,"text":"Save only if the stored role's UpdatedAt equals this time; otherwise fails with failed_precondition."},
    ],
  },
  Scim_ListNotices: {
    "text":"Lists the parts of the directory's requests that are not stored: attributes that Bailiwick does not have, and values that were refused while a person was deactivated. The newest 500 are kept.","access":"a session or a bot key: the permission iam.audit.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Sessions_List: {
    "text":"Lists the caller's sessions.","access":"a session, about the caller","answers":"page","tenant":"",
    fields: [
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Sessions_Revoke: {
    "text":"Ends one of the caller's sessions. Nothing changes if it has ended already.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Sessions_RevokeAll: {
    "text":"Ends all of the caller's sessions, including the session of this call.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Sso_Check: {
    "text":"Returns where users with this address sign in. The response depends on the domain only, not on whether an account exists.","access":"everyone","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  Sso_ConfirmCertificate: {
    "text":"Lets a pending certificate of a SAML provider count at once. This changes what identifies people, as Sso_SaveProvider with the certificate in IdpCertificates does: by a caller who may not grant everything in the tenant it leaves the provider unconfirmed.","access":"a session or a bot key: the permission iam.sso.write in Tenant; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"Fingerprint","kind":"text","required":true,"text":"The certificate's Fingerprint."},
      {"path":"IfUpdatedAt","kind":"time","required":true,"text":"The UpdatedAt of the provider that the caller has checked. Fails with failed_precondition if the provider was changed since."},
    ],
  },
  Sso_ConfirmProvider: {
    "text":"Confirms a provider as it is stored. A provider opens sessions for people, so a change of what identifies them (issuer, client, addresses, certificates, attribute map) by a caller who may not grant everything in the tenant stays unconfirmed: the sessions that it opens hold rights in the tenant only, and at most those that this caller may grant. A provider of the platform opens none until it is confirmed. The caller must be able to grant everything there, without an end. Sessions that were opened before the confirmation have to sign in again.","access":"a session or a bot key: the permission iam.sso.write in Tenant; or the permission iam.platform.sso.write on the platform, if Tenant is empty; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty for the providers of the platform."},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"IfUpdatedAt","kind":"time","required":true,"text":"The UpdatedAt of the provider that the caller has checked. Fails with failed_precondition if the provider was changed since."},
    ],
  },
  Sso_CreateRecoveryCodes: {
    "text":"Replaces a tenant's recovery codes. Each of them lifts the requirement once, as Sso_LiftRequirement does, when an owner signs in with a password and the due second factor (Account_Login). The codes are shown only here. All owners get a mail.","access":"a session or a bot key: the permission iam.sso.write in Tenant; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Sso_DeleteProvider: {
    "text":"Deletes a provider, removes its links to users, and ends the sessions that it opened. Fails with failed_precondition for the last active provider while the tenant or a domain requires SSO.","access":"a session or a bot key: the permission iam.sso.write in Tenant; or the permission iam.platform.sso.write on the platform, if Tenant is empty; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty for the providers of the platform."},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Sso_GetProvider: {
    "text":"Returns one provider.","access":"a session or a bot key: the permission iam.sso.read in Tenant; or the permission iam.platform.sso.read on the platform, if Tenant is empty","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty for the providers of the platform."},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Sso_GetRequirement: {
    "text":"Returns whether a tenant requires SSO, until when its owners are exempt, and how many recovery codes are left.","access":"a session or a bot key: the permission iam.sso.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Sso_LiftRequirement: {
    "text":"Exempts a tenant's owners from the SSO requirement for up to an hour, so that they can sign in with their passwords while the provider is broken. All owners get a mail.","access":"a bot key: the permission iam.sso.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Minutes","kind":"number","required":false,"text":"Duration in minutes, at most 60. If absent, 60; 0 ends the exemption."},
    ],
  },
  Sso_ListProviders: {
    "text":"Lists the providers of a tenant, or of the platform.","access":"a session or a bot key: the permission iam.sso.read in Tenant; or the permission iam.platform.sso.read on the platform, if Tenant is empty","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty for the providers of the platform."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Sso_ListSocialProviders: {
    "text":"Lists the buttons of the sign-in page: the active providers of the platform. The response is the same for every caller, and may be up to five seconds old.","access":"everyone","answers":"record","tenant":"",
    fields: [],
  },
  Sso_ReserveProvider: {
    "text":"Reserves the ID of a provider that is to be saved, and returns the addresses to register there first. Sso_SaveProvider with this ID then creates it. With an ID it returns the addresses of an earlier reservation. A reservation ends after 30 days. At most 20 are kept, and a new one replaces the oldest. Fails with LIMIT_REACHED if all 20 are younger than a day.","access":"a session or a bot key: the permission iam.sso.write in Tenant; or the permission iam.platform.sso.write on the platform, if Tenant is empty","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty for a provider of the platform."},
      {"path":"ID","kind":"text","required":false,"text":"An earlier reservation. Empty makes a new one."},
    ],
  },
  Sso_SaveProvider: {
    "text":"Creates an identity provider, or updates the one with this ID. An ID from Sso_ReserveProvider creates one, too. Without a Tenant it is a provider of the platform: a button of the sign-in page. A tenant and the platform have a maximum number of providers (failed_precondition).","access":"a session or a bot key: the permission iam.sso.write in Provider.Tenant; or the permission iam.platform.sso.write on the platform, if Provider.Tenant is empty; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Provider.Tenant",
    fields: [
      {"path":"Provider.ID","kind":"text","required":false,"text":"Empty on save to create a new provider, unless Sso_ReserveProvider has returned an ID for it."},
      {"path":"Provider.Tenant","kind":"text","required":false,"text":"Empty for a provider of the platform (social sign-in), which users of all tenants may use."},
      {"path":"Provider.Kind","kind":"text","required":false,"text":"oidc, saml or oauth (OAuth 2.0 with a user-info address). A tenant's is oidc or saml, and the platform's oidc or oauth. It never changes. If absent on update, the stored value is kept."},
      {"path":"Provider.Name","kind":"text","required":false,"text":"Required on create. If absent on update, the stored value is kept."},
      {"path":"Provider.Active","kind":"flag","required":false,"text":"If absent, a new provider is active, and an update keeps the stored value."},
      {"path":"Provider.Issuer","kind":"text","required":false,"text":"OIDC: the issuer, exactly as the provider's configuration names it. OAuth: the URL that stands for the provider; users are identified by it and their subject."},
      {"path":"Provider.ClientID","kind":"text","required":false,"text":"OIDC, OAuth: the client ID that the provider assigned."},
      {"path":"Provider.Scopes","kind":"texts","required":false,"text":"OIDC: the requested scopes besides openid. If absent, email and profile. OAuth: all requested scopes."},
      {"path":"Provider.TokenAuthMethod","kind":"text","required":false,"text":"OIDC, OAuth: client_secret_basic, client_secret_post, client_secret_jwt, private_key_jwt or none."},
      {"path":"Provider.ResponseMode","kind":"text","required":false,"text":"OIDC: query or form_post."},
      {"path":"Provider.IdpEntityID","kind":"text","required":false,"text":"SAML: the provider's entity ID."},
      {"path":"Provider.IdpSsoURL","kind":"text","required":false,"text":"SAML: the provider's single sign-on URL."},
      {"path":"Provider.IdpCertificates","kind":"texts","required":false,"text":"SAML: the certificates the provider may sign with, in PEM or base64. During a key rollover there are two."},
      {"path":"Provider.RequestBinding","kind":"text","required":false,"text":"SAML: how requests are sent: redirect or post."},
      {"path":"Provider.AllowIdpInitiated","kind":"flag","required":false,"text":"SAML: whether unsolicited responses are accepted (IdP-initiated sign-in). They are open to login CSRF, so the default is false."},
      {"path":"Provider.Jit","kind":"flag","required":false,"text":"Whether a user without an account gets one. If absent on create, true."},
      {"path":"Provider.DefaultRoles","kind":"texts","required":false,"text":"The roles of users who become members by signing in. Empty means the tenant's default role."},
      {"path":"Provider.GroupMappings","kind":"json","required":false,"text":"Maps the provider's groups to groups and roles of the tenant."},
      {"path":"Provider.AttributeMap","kind":"map","required":false,"text":"The claim or attribute for each property, if it is not the standard one (OAuth: the field of the user-info response, with sub as the standard Subject): keys are Subject, Email, EmailVerified, Name, GivenName, FamilyName, Picture, Locale and Groups."},
      {"path":"Provider.Preset","kind":"text","required":false,"text":"google, microsoft, apple (OIDC) or github (OAuth): sets the fields that the request of a new provider leaves out. It never changes."},
      {"path":"Provider.AuthorizationURL","kind":"text","required":false,"text":"OAuth: where the browser is sent."},
      {"path":"Provider.TokenURL","kind":"text","required":false,"text":"OAuth: exchanges the code for an access token."},
      {"path":"Provider.UserinfoURL","kind":"text","required":false,"text":"OAuth: returns the user as a JSON object."},
      {"path":"Provider.EmailsURL","kind":"text","required":false,"text":"OAuth: returns the user's addresses as a JSON array of {email, primary, verified}. The primary one counts. If empty, the user-info response has the address."},
      {"path":"Provider.AssuranceMap","kind":"map","required":false,"text":"OIDC, SAML: the assurance of a value of acr or amr, or of an AuthnContextClassRef: aal1, aal2 or phishing_resistant. The best value of a sign-in counts, and other values prove aal1. If empty, the usual values count. Not for a provider of the platform."},
      {"path":"Provider.KeyID","kind":"text","required":false,"text":"Preset apple: the ID of the private key that signs the client secrets."},
      {"path":"Provider.TeamID","kind":"text","required":false,"text":"Preset apple: the ID of the team that owns the key."},
      {"path":"Provider.AbsentGroups","kind":"text","required":false,"text":"What becomes of the roles and groups of GroupMappings when a sign-in has no groups claim: remove (the default) revokes them, keep keeps them for 30 days after the provider stated them last. An answer that says that the groups are elsewhere always keeps them so long."},
      {"path":"Provider.WantEncrypted","kind":"flag","required":false,"text":"SAML: whether our metadata asks for encrypted assertions, by naming our encryption key. Encrypted assertions are accepted in any case."},
      {"path":"Provider.MetadataURL","kind":"text","required":false,"text":"SAML: the URL of the provider's metadata, which is read daily for new certificates. A URL other than the stored one is fetched at once, and \"\" ends the reading."},
      {"path":"Provider.CertificateChanges","kind":"text","required":false,"text":"SAML: what becomes of a new certificate in the metadata at MetadataURL: auto (the default) lets it count 24 hours after it was found, ask lets it wait for an administrator."},
      {"path":"Secret","kind":"secret","required":false,"text":"OIDC: the client secret. It is encrypted and never returned. Empty keeps the stored one."},
      {"path":"MetadataXML","kind":"text","required":false,"text":"SAML: the provider's metadata. Its entity ID, URLs and certificates are taken from it."},
      {"path":"MetadataURL","kind":"text","required":false,"text":"SAML: the URL of the provider's metadata, which is fetched at once, kept in Provider.MetadataURL and read daily."},
      {"path":"IfUpdatedAt","kind":"time","required":false,"text":"Save only if the stored provider's UpdatedAt equals this time; otherwise fails with failed_precondition. A save without it leaves an unconfirmed provider unconfirmed."},
      {"path":"PrivateKey","kind":"secret","required":false,"text":"Preset apple: the private key in PEM (P-256) that signs a client secret for each request, in place of Secret. Needs KeyID and TeamID. It is encrypted and never returned. Empty keeps the stored one."},
    ],
  },
  Sso_TestProvider: {
    "text":"Tests a provider as a sign-in uses it: its availability, its keys and certificates, and the addresses to register there. No user is signed in.","access":"a session or a bot key: the permission iam.sso.write in Tenant; or the permission iam.platform.sso.write on the platform, if Tenant is empty","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty for the providers of the platform."},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Support_End: {
    "text":"Ends the support session of the operator who calls. Nothing changes if it has ended already.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Support_Get: {
    "text":"Returns the support session of the operator who calls, and its user.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Support_Start: {
    "text":"Opens a support session: a session of the user for the operator who calls. The user gets a mail with the operator, the reason and the end. Every audit entry and event of the session names the operator beside the user. A later start ends the operator's earlier support session. Requires a sign-in, or a step-up, within the last 15 minutes, with a second factor if the operator has one.","access":"a session: the permission iam.platform.support.act on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Reason","kind":"text","required":true,"text":"Why the operator acts as the user. The user reads it in the mail and among the sessions."},
      {"path":"Minutes","kind":"number","required":false,"text":"How long the session lasts. Absent = 15 minutes."},
      {"path":"Cookie","kind":"flag","required":false,"text":"True for browsers: the token is set as an HttpOnly cookie and left out of the body. Calls use that cookie if they have the header Bailiwick-Support."},
    ],
  },
  TenantInvitations_Accept: {
    "text":"Accepts an invitation: makes the caller a member with the invitation's roles and groups.","access":"a session: the caller's verified address is the invited one","answers":"record","tenant":"",
    fields: [
      {"path":"Token","kind":"secret","required":true,"text":""},
    ],
  },
  TenantInvitations_Create: {
    "text":"Invites an address and mails it a token. A new invitation of the same address invalidates the previous token. Fails with already_exists if the address belongs to a member.","access":"a session or a bot key: the permission iam.invitations.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Email","kind":"text","required":true,"text":""},
      {"path":"Roles","kind":"texts","required":false,"text":"The roles the new member gets. Empty means the tenant's default role."},
      {"path":"Groups","kind":"texts","required":false,"text":"The paths of the groups the new member joins."},
    ],
  },
  TenantInvitations_Decline: {
    "text":"Declines an invitation.","access":"everyone: the caller has the invitation's token","answers":"record","tenant":"",
    fields: [
      {"path":"Token","kind":"secret","required":true,"text":""},
    ],
  },
  TenantInvitations_Delete: {
    "text":"Revokes the pending invitation of an address.","access":"a session or a bot key: the permission iam.invitations.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  TenantInvitations_Get: {
    "text":"Returns an invitation: who invites to which tenant, and with which roles.","access":"everyone: the caller has the invitation's token","answers":"record","tenant":"",
    fields: [
      {"path":"Token","kind":"secret","required":true,"text":""},
    ],
  },
  TenantInvitations_List: {
    "text":"Lists the invitations of a tenant, newest first unless Sort says otherwise. A call that filters looks at a limited number of invitations: a page may have fewer than its Limit, or none, while there is a NextCursor.","access":"a session or a bot key: the permission iam.invitations.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Query","kind":"text","required":false,"text":"A part of the address, in any case; below three letters or digits, or without trigrams in the database, its beginning. No character is a wildcard. Empty selects all invitations."},
      {"path":"Status","kind":"text","required":false,"text":"Empty selects all invitations."},
      {"path":"From","kind":"time","required":false,"text":"Invitations created at or after this time."},
      {"path":"To","kind":"time","required":false,"text":"Invitations created before this time."},
      {"path":"Sort","kind":"text","required":false,"text":"The order: email or created. Empty means the newest first."},
      {"path":"Descending","kind":"flag","required":false,"text":"Reverses the order."},
    ],
  },
  TenantInvitations_ListByEmail: {
    "text":"Lists the invitations of an address to all tenants, newest first.","access":"a session or a bot key: the permission iam.platform.invitations.read on the platform; or the address is the caller's own verified address, in any equivalent spelling","answers":"page","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  TenantMembers_Accept: {
    "text":"Accepts the caller's own pending membership, or the ownership that others have given to the caller: from then on the caller counts as an owner who must not be the last one to leave. Accepting again changes nothing.","access":"a session: the caller was added to the tenant and has not declined","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  TenantMembers_Add: {
    "text":"Adds a user to a tenant. The membership is pending until the user accepts it with TenantMembers_Accept: until then it gives no rights and reveals nothing about the user. It is active at once if the caller holds iam.platform.users.write, or if the user's verified address is in a verified domain of the tenant. Nothing changes for a user who is a member, was added already, or has declined within the last 30 days.","access":"a session or a bot key: the permission iam.users.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  TenantMembers_Decline: {
    "text":"Declines the caller's own pending membership, or the ownership that others have given and the caller has not accepted: it ends, and the membership stays. Declining again changes nothing.","access":"a session: the caller was added to the tenant and has not accepted","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  TenantMembers_Disable: {
    "text":"Disables a member: the user has no rights in the tenant until the member is enabled again. Grants and group memberships remain. Only an owner can disable an owner, and the last owner cannot be disabled (failed_precondition).","access":"a session or a bot key: the permission iam.users.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  TenantMembers_Enable: {
    "text":"Enables a disabled member. The caller must be able to grant the member's permissions.","access":"a session or a bot key: the permission iam.users.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  TenantMembers_List: {
    "text":"Lists the members of a tenant, and the users who were added and have not accepted yet (Status pending). Only the ID of a pending user is known. A call that filters looks at a limited number of members: a page may have fewer than its Limit, or none, while there is a NextCursor.","access":"a session or a bot key: the permission iam.users.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Query","kind":"text","required":false,"text":"A part of the user's name or address, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name, of its last word or of the address. No character is a wildcard. Empty selects all members. A search finds no pending member."},
      {"path":"Status","kind":"text","required":false,"text":"Empty selects all members."},
      {"path":"Source","kind":"text","required":false,"text":"How the user became a member. Empty selects all members."},
      {"path":"From","kind":"time","required":false,"text":"Users who became members at or after this time."},
      {"path":"To","kind":"time","required":false,"text":"Users who became members before this time."},
      {"path":"Sort","kind":"text","required":false,"text":"The order: name, email or joined. Empty means by ID."},
      {"path":"Descending","kind":"flag","required":false,"text":"Reverses the order."},
      {"path":"WithNames","kind":"flag","required":false,"text":"Adds the names and addresses of the users."},
      {"path":"UserID","kind":"text","required":false,"text":"Only the membership of this user. The fields of a search then have no effect."},
    ],
  },
  TenantMembers_Remove: {
    "text":"Removes a member with its grants and group memberships, or withdraws a pending membership. A user can always leave, even a tenant that is suspended or requires SSO, and even with a disabled membership. The last owner cannot be removed (failed_precondition).","access":"a session or a bot key: the permission iam.users.write in Tenant; or being the user of UserID","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  Tenants_Create: {
    "text":"Creates a tenant. Its owner is the caller or, with iam.platform.tenants.write, the user in OwnerID. Fails with already_exists if the slug is taken.","access":"a session or a bot key: the permission iam.platform.tenants.write on the platform; or a user with a verified address creates at most ten tenants, unless the platform has disabled it","answers":"record","tenant":"",
    fields: [
      {"path":"Tenant.Slug","kind":"text","required":false,"text":"Unique on the platform. If empty on create, it is derived from the name."},
      {"path":"Tenant.Name","kind":"text","required":true,"text":""},
      {"path":"Tenant.Settings.SessionIdleMinutes","kind":"number","required":false,"text":"Idle timeout of sessions that are used in the tenant, in minutes: at most 10080; 0 means the platform's 7 days."},
      {"path":"Tenant.Settings.SessionMaxMinutes","kind":"number","required":false,"text":"Longest lifetime of sessions that are used in the tenant, in minutes: at most 43200; 0 means the platform's 30 days."},
      {"path":"Tenant.Settings.RequireSso","kind":"flag","required":false,"text":"Whether members must sign in through a provider of the tenant."},
      {"path":"Tenant.Settings.InviteDomains","kind":"texts","required":false,"text":"Only addresses in these domains can be invited. Empty means all domains."},
      {"path":"Tenant.Settings.MaxBotKeyDays","kind":"number","required":false,"text":"Longest lifetime of a bot key, in days: at most 365; 0 means 365."},
      {"path":"Tenant.Settings.AuditRetentionDays","kind":"number","required":false,"text":"How long audit entries are kept, in days: at most 3650; 0 means 400."},
      {"path":"Tenant.Settings.DefaultRole","kind":"text","required":false,"text":"The role that new members get automatically. It cannot be owner. Empty means member."},
      {"path":"Tenant.Settings.RecentLogin","kind":"flag","required":false,"text":"Whether members can change keys, providers, domains and owners only within 15 minutes of signing in."},
      {"path":"Tenant.Settings.RequireFactor","kind":"text","required":false,"text":"The assurance that a member's session needs to hold rights in the tenant: off (nothing more), any (a second factor) or phishing_resistant (a passkey). A session from a provider of another tenant proves it with the account's own factors only."},
      {"path":"Tenant.Settings.FactorGraceDays","kind":"number","required":false,"text":"Days from a stricter RequireFactor until it is in force, so that members can add a factor: at most 90."},
      {"path":"Tenant.Settings.AllowedMethods","kind":"texts","required":false,"text":"How members' sessions may be opened: account (the account's own ways, such as a password or a passkey) and social (a provider of the platform). Empty means both. With account alone, a session that came from a provider of the platform or of another tenant holds no rights in the tenant. Sessions from the tenant's own providers always do."},
      {"path":"Tenant.Settings.AppURL","kind":"text","required":false,"text":"The application that members go to if they sign in without an address to return to, in place of BAILIWICK_APP_URL: https, or http on the same machine, at an origin that the platform allows."},
      {"path":"Tenant.Settings.ScimGroupParent","kind":"text","required":false,"text":"The path of the group below which a directory creates its groups by SCIM, with room for one more segment. It exists, is no group of a directory, and has no role that the caller lacks: its grants reach the groups below it. Groups that exist stay in place. Empty means the top level."},
      {"path":"Tenant.Metadata","kind":"map","required":false,"text":""},
      {"path":"Tenant.Branding.Name","kind":"text","required":false,"text":"The name that people know the organisation by."},
      {"path":"Tenant.Branding.AccentColor","kind":"text","required":false,"text":"The colour of buttons and links, such as #1c4fc2. White text on it and the colour on the light page need a contrast of 4.5:1; dark pages use a lighter tone of it."},
      {"path":"Tenant.Branding.TermsURL","kind":"text","required":false,"text":"The terms of use: https."},
      {"path":"Tenant.Branding.PrivacyURL","kind":"text","required":false,"text":"The privacy policy: https."},
      {"path":"OwnerID","kind":"text","required":false,"text":"The user who becomes the owner. Requires iam.platform.tenants.write."},
    ],
  },
  Tenants_Delete: {
    "text":"Deletes a tenant: access is denied as soon as the call returns. Its records and data keys are destroyed after a grace period, 30 days by default. Deleting it again changes nothing.","access":"a session or a bot key: the permission iam.tenant.delete in Tenant; or the permission iam.platform.tenants.write on the platform","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Tenants_Get: {
    "text":"Returns one tenant.","access":"a session or a bot key: the permission iam.tenant.read in Tenant; or the permission iam.platform.tenants.read on the platform","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Tenants_GetBranding: {
    "text":"Returns how the pages and mails about a tenant look. The response is the same for every caller; it is empty for a tenant without branding, for one that is not active and for one that does not exist.","access":"everyone","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":"The ID or the slug of a tenant."},
    ],
  },
  Tenants_GetCounts: {
    "text":"Counts the records of a tenant, and what happened in it on each of the last 30 days. A figure is absent, or its list empty, if the caller lacks the permission for it.","access":"a session or a bot key: the permission iam.users.read in Tenant; or the permission iam.invitations.read in Tenant; or the permission iam.groups.read in Tenant; or the permission iam.roles.read in Tenant; or the permission iam.audit.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Tenants_GetTotals: {
    "text":"Counts the tenants of the platform, and what happened on it on each of the last 30 days.","access":"a session or a bot key: the permission iam.platform.tenants.read on the platform","answers":"record","tenant":"",
    fields: [],
  },
  Tenants_List: {
    "text":"Lists all tenants, in order of their IDs. A page of a selection may have fewer items than its limit, or none, while there is a cursor: go on until the cursor is empty.","access":"a session or a bot key: the permission iam.platform.tenants.read on the platform","answers":"page","tenant":"",
    fields: [
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Query","kind":"text","required":false,"text":"A part of the name or of the slug; below three letters or digits, or without trigrams in the database, the beginning. Letter case and accents do not count, and only the first 64 characters are compared. Empty selects all tenants."},
      {"path":"Status","kind":"text","required":false,"text":"Empty selects all tenants."},
    ],
  },
  Tenants_ListMine: {
    "text":"Lists the active tenants in which the caller has a membership, each with that membership. If it is pending or disabled, only the tenant's ID, Name and Slug are shown.","access":"a session, about the caller","answers":"page","tenant":"",
    fields: [
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Tenants_Restore: {
    "text":"Restores a deleted tenant with all its records, within the grace period.","access":"a session or a bot key: the permission iam.platform.tenants.write on the platform","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Tenants_Resume: {
    "text":"Resumes a suspended tenant.","access":"a session or a bot key: the permission iam.platform.tenants.write on the platform","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Tenants_Suspend: {
    "text":"Suspends a tenant: all access to it is denied until it is resumed.","access":"a session or a bot key: the permission iam.platform.tenants.write on the platform","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Tenants_Update: {
    "text":"Updates the fields of a tenant that are sent. Fails with already_exists if the slug is taken.","access":"a session or a bot key: the permission iam.tenant.write in Tenant.ID; or the permission iam.platform.tenants.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Tenant.ID","kind":"text","required":true,"text":""},
      {"path":"Tenant.Slug","kind":"text","required":false,"text":"Unique on the platform."},
      {"path":"Tenant.Name","kind":"text","required":false,"text":""},
      {"path":"Tenant.Settings.SessionIdleMinutes","kind":"number","required":false,"text":"Idle timeout of sessions that are used in the tenant, in minutes: at most 10080; 0 means the platform's 7 days."},
      {"path":"Tenant.Settings.SessionMaxMinutes","kind":"number","required":false,"text":"Longest lifetime of sessions that are used in the tenant, in minutes: at most 43200; 0 means the platform's 30 days."},
      {"path":"Tenant.Settings.RequireSso","kind":"flag","required":false,"text":"Whether members must sign in through a provider of the tenant."},
      {"path":"Tenant.Settings.InviteDomains","kind":"texts","required":false,"text":"Only addresses in these domains can be invited. Empty means all domains."},
      {"path":"Tenant.Settings.MaxBotKeyDays","kind":"number","required":false,"text":"Longest lifetime of a bot key, in days: at most 365; 0 means 365."},
      {"path":"Tenant.Settings.AuditRetentionDays","kind":"number","required":false,"text":"How long audit entries are kept, in days: at most 3650; 0 means 400."},
      {"path":"Tenant.Settings.DefaultRole","kind":"text","required":false,"text":"The role that new members get automatically. It cannot be owner. Empty means member."},
      {"path":"Tenant.Settings.RecentLogin","kind":"flag","required":false,"text":"Whether members can change keys, providers, domains and owners only within 15 minutes of signing in."},
      {"path":"Tenant.Settings.RequireFactor","kind":"text","required":false,"text":"The assurance that a member's session needs to hold rights in the tenant: off (nothing more), any (a second factor) or phishing_resistant (a passkey). A session from a provider of another tenant proves it with the account's own factors only."},
      {"path":"Tenant.Settings.FactorGraceDays","kind":"number","required":false,"text":"Days from a stricter RequireFactor until it is in force, so that members can add a factor: at most 90."},
      {"path":"Tenant.Settings.AllowedMethods","kind":"texts","required":false,"text":"How members' sessions may be opened: account (the account's own ways, such as a password or a passkey) and social (a provider of the platform). Empty means both. With account alone, a session that came from a provider of the platform or of another tenant holds no rights in the tenant. Sessions from the tenant's own providers always do."},
      {"path":"Tenant.Settings.AppURL","kind":"text","required":false,"text":"The application that members go to if they sign in without an address to return to, in place of BAILIWICK_APP_URL: https, or http on the same machine, at an origin that the platform allows."},
      {"path":"Tenant.Settings.ScimGroupParent","kind":"text","required":false,"text":"The path of the group below which a directory creates its groups by SCIM, with room for one more segment. It exists, is no group of a directory, and has no role that the caller lacks: its grants reach the groups below it. Groups that exist stay in place. Empty means the top level."},
      {"path":"Tenant.Metadata","kind":"map","required":false,"text":""},
      {"path":"Tenant.Branding.Name","kind":"text","required":false,"text":""},
      {"path":"Tenant.Branding.AccentColor","kind":"text","required":false,"text":"The colour of buttons and links, such as #1c4fc2. White text on it and the colour on the light page need a contrast of 4.5:1; dark pages use a lighter tone of it."},
      {"path":"Tenant.Branding.TermsURL","kind":"text","required":false,"text":"The terms of use: https."},
      {"path":"Tenant.Branding.PrivacyURL","kind":"text","required":false,"text":"The privacy policy: https."},
      {"path":"Tenant.Branding.Logo","kind":"bytes","required":false,"text":"The logo: a PNG, JPEG or WebP image of at most 64 KiB, and at most 2048 pixels wide and high."},
      {"path":"IfUpdatedAt","kind":"time","required":false,"text":"Save only if the stored tenant's UpdatedAt equals this time; otherwise fails with failed_precondition."},
    ],
  },
  Tokens_Introspect: {
    "text":"Returns the holder of a session token or bot key. With the permission in one tenant only, tokens of users and bots outside that tenant are inactive, the same as unknown tokens.","access":"a bot key: the permission iam.tokens.introspect in Tenant; or the permission iam.tokens.introspect on the platform","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Token","kind":"secret","required":true,"text":""},
      {"path":"Tenant","kind":"text","required":false,"text":"The tenant that the token was presented for. Empty means every tenant and requires the permission on the platform."},
      {"path":"IP","kind":"text","required":false,"text":"The IP address that the token was presented from. A bot key with AllowedIPs is active only if this is one of them."},
    ],
  },
  Users_ConfirmIdentity: {
    "text":"Confirms that an identity belongs to the user. An identity that was linked by the address alone opens limited sessions, which hold rights in the provider's tenant only. A confirmed identity opens sessions for the whole account, and its open sessions are no longer limited. The user confirms with a credential that is older than the link: the account's password, or a session that the password or an older identity opened. A password that was reset after the link does not count. Another caller must be able to grant all that the user holds.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Provider","kind":"text","required":true,"text":""},
      {"path":"Password","kind":"secret","required":false,"text":"Required if the caller's session is limited. If empty, the credential that opened the caller's session is used."},
      {"path":"Reason","kind":"text","required":false,"text":"Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail."},
    ],
  },
  Users_Create: {
    "text":"Creates a user whose address the caller vouches for: it counts as verified, and no mail is sent. A user without a password signs in through a provider, or resets the password first. Fails with already_exists if the address has an account.","access":"a session or a bot key: the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"User.Email","kind":"text","required":true,"text":""},
      {"path":"User.Name","kind":"text","required":false,"text":""},
      {"path":"User.GivenName","kind":"text","required":false,"text":""},
      {"path":"User.FamilyName","kind":"text","required":false,"text":""},
      {"path":"User.Picture","kind":"text","required":false,"text":""},
      {"path":"User.Locale","kind":"text","required":false,"text":""},
      {"path":"User.ExternalID","kind":"text","required":false,"text":"The user's ID in another system."},
      {"path":"User.Metadata","kind":"map","required":false,"text":""},
      {"path":"Password","kind":"secret","required":false,"text":""},
    ],
  },
  Users_Delete: {
    "text":"Deletes a user with its sessions, tokens, memberships and grants. Fails with failed_precondition while the user is the only owner of a tenant: delete the tenant or add another owner first.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Reason","kind":"text","required":false,"text":"Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail."},
    ],
  },
  Users_Disable: {
    "text":"Disables a user: every session ends before the call returns, and the user's grants have no effect until the user is enabled again. A user who disables another needs a sign-in, or a step-up, within the last 15 minutes, with a second factor if they have one, and a Reason, which the disabled user gets by mail. The same holds for Enable, Delete, ResetFactors, Update, ConfirmIdentity, RemoveIdentity, RevokeSession and RevokeAllSessions.","access":"a session or a bot key: the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Reason","kind":"text","required":false,"text":"Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail."},
    ],
  },
  Users_Enable: {
    "text":"Enables a disabled user, whose grants take effect again.","access":"a session or a bot key: the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Reason","kind":"text","required":false,"text":"Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail."},
    ],
  },
  Users_Get: {
    "text":"Returns one user. If the caller can read users only in other tenants, the result is not_found.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.users.read on the platform; or iam.users.read in a tenant of that user; with iam.users.read only in other tenants the result is not_found, without it 403","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  Users_GetByEmail: {
    "text":"Returns the user with this address. If the caller can read users only in other tenants, the result is not_found, the same as for an unknown address.","access":"a session or a bot key: being the user of Email; or the permission iam.platform.users.read on the platform; or iam.users.read in a tenant of that user; with iam.users.read only in other tenants the result is not_found, without it 403","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  Users_Import: {
    "text":"Imports users from another system, whose addresses the caller vouches for, with the hashes of their passwords and their memberships. No mail is sent. A user who was imported before is left as it is, except that missing memberships are made, so that an interrupted import can be repeated. The response has one verdict for each user.","access":"a session or a bot key: the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Users","kind":"json","required":true,"text":""},
      {"path":"OnError","kind":"text","required":false,"text":"Whether a refused user stops the others: abort imports none of them, continue imports them. Empty means abort."},
      {"path":"DryRun","kind":"flag","required":false,"text":"Whether to return the verdicts only, and import nothing."},
      {"path":"BatchID","kind":"text","required":false,"text":"Names the call, with a value of your choice that no other call has. If the response was lost, repeat the call with the same one: users whom it had created already are created again in the verdicts, and not existing."},
    ],
  },
  Users_List: {
    "text":"Lists all users of the platform, sorted by ID unless Sort says otherwise. A call that filters looks at a limited number of users: a page may have fewer than its Limit, or none, while there is a NextCursor.","access":"a session or a bot key: the permission iam.platform.users.read on the platform","answers":"page","tenant":"",
    fields: [
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Query","kind":"text","required":false,"text":"A part of the name or address, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name, of its last word or of the address. No character is a wildcard. Empty selects all users."},
      {"path":"Status","kind":"text","required":false,"text":"Empty selects all users."},
      {"path":"From","kind":"time","required":false,"text":"Users created at or after this time."},
      {"path":"To","kind":"time","required":false,"text":"Users created before this time."},
      {"path":"Sort","kind":"text","required":false,"text":"The order: name, email or created. Empty means by ID."},
      {"path":"Descending","kind":"flag","required":false,"text":"Reverses the order."},
    ],
  },
  Users_ListByTenant: {
    "text":"Lists the users who are members of a tenant. A call that filters looks at a limited number of users: a page may have fewer than its Limit, or none, while there is a NextCursor.","access":"a session or a bot key: the permission iam.users.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Query","kind":"text","required":false,"text":"A part of the user's name or address, in any case; below three letters or digits, or without trigrams in the database, the beginning of the name, of its last word or of the address. No character is a wildcard. Empty selects all members."},
      {"path":"Status","kind":"text","required":false,"text":"The state of the membership. Empty selects all members."},
      {"path":"Source","kind":"text","required":false,"text":"How the user became a member. Empty selects all members."},
      {"path":"From","kind":"time","required":false,"text":"Users who became members at or after this time."},
      {"path":"To","kind":"time","required":false,"text":"Users who became members before this time."},
      {"path":"Sort","kind":"text","required":false,"text":"The order: name, email or joined. Empty means by ID."},
      {"path":"Descending","kind":"flag","required":false,"text":"Reverses the order."},
    ],
  },
  Users_ListFactors: {
    "text":"Lists the second factors of a user, without secrets.","access":"a session or a bot key: the permission iam.platform.users.read on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  Users_ListIdentities: {
    "text":"Lists the identities at tenants' providers that a user signs in with, at most one for each provider.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.users.read on the platform","answers":"page","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Users_ListSessions: {
    "text":"Lists the sessions of a user. Current is true for that of the call.","access":"a session or a bot key: the permission iam.platform.users.read on the platform","answers":"page","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Users_Lock: {
    "text":"Locks a user: disables the account and ends all that it holds, with a receipt. Sessions, refresh tokens, sign-in codes, mailed links and consents to apps end before the call returns, invitations of the user cannot be accepted, and each app is called that the user is signed in to. Locking a locked user who was not changed since changes nothing and returns the receipt of that lock. A user who locks another needs a Reason and a recent sign-in, as for Disable.","access":"a session or a bot key: the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Reason","kind":"text","required":false,"text":"Why. Required of a user who acts on another account: it is in the audit and the receipt, and the user of the account reads it in a mail."},
    ],
  },
  Users_RemoveIdentity: {
    "text":"Unlinks a user from a provider and ends the sessions that the provider opened. The next sign-in at the provider with the user's address is linked instead. Use it for a user who has a new identity at the provider.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Provider","kind":"text","required":true,"text":""},
      {"path":"Reason","kind":"text","required":false,"text":"Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail."},
    ],
  },
  Users_ResetFactors: {
    "text":"Removes all second factors and recovery codes of a user who has lost them, ends the user's sessions and mails the user. The next sign-in needs the password only. The caller must be able to grant all that the user holds.","access":"a session or a bot key: the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Reason","kind":"text","required":false,"text":"Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail."},
    ],
  },
  Users_RevokeAllSessions: {
    "text":"Ends all sessions of a user, and the sign-ins that are not complete.","access":"a session or a bot key: the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Reason","kind":"text","required":false,"text":"Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail."},
    ],
  },
  Users_RevokeSession: {
    "text":"Ends one session of a user. Nothing changes if it has ended already.","access":"a session or a bot key: the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"Reason","kind":"text","required":false,"text":"Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail."},
    ],
  },
  Users_Unlock: {
    "text":"Restores the account of a locked user, and nothing that the lock ended. Fails with failed_precondition if the user is disabled without a lock. Enable restores it too.","access":"a session or a bot key: the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Reason","kind":"text","required":false,"text":"Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail."},
    ],
  },
  Users_Update: {
    "text":"Updates the fields of a user that are sent. Account_ChangeEmail and Account_ChangePassword change the address and the password. A user who updates another needs a Reason and a recent sign-in, as for Disable.","access":"a session or a bot key: being the user of User.ID; or the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"User.ID","kind":"text","required":true,"text":""},
      {"path":"User.Name","kind":"text","required":false,"text":""},
      {"path":"User.GivenName","kind":"text","required":false,"text":""},
      {"path":"User.FamilyName","kind":"text","required":false,"text":""},
      {"path":"User.Picture","kind":"text","required":false,"text":""},
      {"path":"User.Locale","kind":"text","required":false,"text":""},
      {"path":"User.ExternalID","kind":"text","required":false,"text":"The user's ID in another system. Changing it requires iam.platform.users.write."},
      {"path":"User.Metadata","kind":"map","required":false,"text":""},
      {"path":"User.Email","kind":"text","required":false,"text":"The stored address. A different address is rejected: use Account_ChangeEmail."},
      {"path":"Reason","kind":"text","required":false,"text":"Why. Required of a user who acts on another account: it is in the audit, and the user of the account reads it in a mail."},
    ],
  },
  WebhookPortals_Create: {
    "text":"Creates a link to the portal of an endpoint. The link is in the response and is never shown again. It works until it expires or is deleted, while its endpoint exists, its tenant is active, and its creator holds iam.webhooks.read and iam.webhooks.write there; grants of a bot on the platform do not count. An endpoint has at most 20 links (failed_precondition).","access":"a session or a bot key: the permission iam.webhooks.write in Tenant; if the tenant requires it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Endpoint","kind":"text","required":true,"text":""},
      {"path":"Name","kind":"text","required":true,"text":"Who gets the link. The portal does not show it."},
      {"path":"ExpiresInMinutes","kind":"number","required":false,"text":"Absent = 10080, a week; at most 129600, 90 days."},
      {"path":"Abilities","kind":"texts","required":false,"text":"What the portal can do: bodies (read sent bodies), replay (send messages again), test (send a test), rotate (replace the signing secret). Empty = only the endpoint's state and log."},
    ],
  },
  WebhookPortals_Delete: {
    "text":"Deletes a link. It and its open session end at once. Nothing changes if it does not exist.","access":"a session or a bot key: the permission iam.webhooks.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  WebhookPortals_List: {
    "text":"Lists the links to the portal of an endpoint that have not expired.","access":"a session or a bot key: the permission iam.webhooks.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Endpoint","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Webhooks_CreateEndpoint: {
    "text":"Creates an endpoint. Its signing secret is in the response and is never shown again. A tenant has a maximum number of endpoints (failed_precondition).","access":"a session or a bot key: the permission iam.webhooks.write in Endpoint.Tenant","answers":"record","tenant":"Endpoint.Tenant",
    fields: [
      {"path":"Endpoint.Tenant","kind":"text","required":false,"text":"If absent on create, the bot's tenant or the user's only tenant. It never changes."},
      {"path":"Endpoint.Name","kind":"text","required":true,"text":""},
      {"path":"Endpoint.URL","kind":"text","required":true,"text":"The URL that receives deliveries: https, at most 2,048 characters."},
      {"path":"Endpoint.Active","kind":"flag","required":false,"text":"If absent on update, the stored value is kept."},
      {"path":"Endpoint.EventTypes","kind":"texts","required":false,"text":"The event types to receive. \"user.*\" means every event type that begins with \"user.\". Empty means all event types."},
      {"path":"Endpoint.Description","kind":"text","required":false,"text":""},
      {"path":"Endpoint.RateLimit","kind":"number","required":false,"text":"Deliveries per second; 0 means no limit for this endpoint."},
    ],
  },
  Webhooks_DeleteEndpoint: {
    "text":"Deletes an endpoint. Its pending deliveries are dropped.","access":"a session or a bot key: the permission iam.webhooks.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Webhooks_Explain: {
    "text":"Explains routing: lists which of the tenant's endpoints receive events of a type, and why the others do not.","access":"a session or a bot key: the permission iam.webhooks.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Type","kind":"text","required":true,"text":""},
    ],
  },
  Webhooks_ExplainDelivery: {
    "text":"Explains what became of an event at each webhook endpoint of the tenant: whether it gets the event and why not, its attempts, and what the next one waits for. not_found if the event is unknown or belongs to another tenant. An event is known for 30 days after an attempt at it, while a message of it waits, and for a day if an application published it.","access":"a session or a bot key: the permission iam.webhooks.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Event","kind":"text","required":true,"text":"The event's ID, as Events_Publish returns it, and as receivers find it in webhook-id."},
    ],
  },
  Webhooks_GetEndpoint: {
    "text":"Returns one endpoint.","access":"a session or a bot key: the permission iam.webhooks.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Webhooks_GetMessage: {
    "text":"Returns a message that was sent to an endpoint, with its body and attempts. Bodies are kept for 7 days by default.","access":"a session or a bot key: the permission iam.webhooks.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":"The endpoint."},
      {"path":"MessageID","kind":"text","required":true,"text":"The message's identifier: the ID of its attempts, and the header webhook-id."},
    ],
  },
  Webhooks_GetStats: {
    "text":"Counts the tenant's endpoints, and their delivery attempts of the last 30 days.","access":"a session or a bot key: the permission iam.webhooks.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":false,"text":"Restricts the attempts to this endpoint. Empty means all endpoints, deleted ones included."},
    ],
  },
  Webhooks_ListAttempts: {
    "text":"Lists the delivery attempts of the last 30 days to the tenant's endpoints, newest first, without bodies.","access":"a session or a bot key: the permission iam.webhooks.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Endpoint","kind":"text","required":false,"text":""},
      {"path":"Outcome","kind":"text","required":false,"text":"The result of the attempt."},
      {"path":"EventType","kind":"text","required":false,"text":""},
      {"path":"Since","kind":"time","required":false,"text":"Attempts that began at or after this time."},
      {"path":"Until","kind":"time","required":false,"text":"Attempts that began before this time."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
      {"path":"Latest","kind":"flag","required":false,"text":"Only the latest attempt of each message, so that a message is listed once."},
    ],
  },
  Webhooks_ListEndpoints: {
    "text":"Lists the endpoints of a tenant.","access":"a session or a bot key: the permission iam.webhooks.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"The number of items: 0 means 50, and values above 200 mean 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the previous page. Empty means the first page."},
    ],
  },
  Webhooks_ListEventTypes: {
    "text":"Lists the event types that endpoints can subscribe to, each with the schema of its body and an example.","access":"a session or a bot key: every caller with a credential: the list is the same for all","answers":"record","tenant":"",
    fields: [],
  },
  Webhooks_ReplayFailed: {
    "text":"Sends the failed deliveries of an endpoint again, each with a full set of attempts. Fails with failed_precondition if the endpoint is inactive.","access":"a session or a bot key: the permission iam.webhooks.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"Since","kind":"time","required":false,"text":"Start of the period, inclusive. If absent, all stored deliveries: those of the last 30 days."},
      {"path":"Until","kind":"time","required":false,"text":"End of the period, exclusive. If absent, now."},
    ],
  },
  Webhooks_Resend: {
    "text":"Sends one message again to its endpoint, with the same identifier and body and a full set of attempts. Fails with failed_precondition if the endpoint is inactive.","access":"a session or a bot key: the permission iam.webhooks.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":"The endpoint."},
      {"path":"MessageID","kind":"text","required":true,"text":"The message's identifier: the ID of its attempts, and the header webhook-id."},
      {"path":"Now","kind":"flag","required":false,"text":"Makes the next attempt of a waiting message at once. It counts as one of the message's attempts. A pause that follows too many failed attempts ends, and one that the receiver asked for stays. Counts towards the limits of SendTest."},
    ],
  },
  Webhooks_RotateSecret: {
    "text":"Replaces the signing secret of an endpoint. The new secret is in the response and is never shown again. The previous secret also signs until the grace period ends.","access":"a session or a bot key: the permission iam.webhooks.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"GraceSeconds","kind":"number","required":false,"text":"How long the previous secret also signs, in seconds. If absent, 86400 (one day); 0 ends it at once; at most 604800 (one week)."},
    ],
  },
  Webhooks_SendTest: {
    "text":"Sends an endpoint.ping event to one endpoint at once, without retries. The endpoint may be inactive, so that it can be tested before it is activated. At most ten tests a minute for each endpoint, and 60 for each tenant (resource_exhausted).","access":"a session or a bot key: the permission iam.webhooks.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Webhooks_UpdateEndpoint: {
    "text":"Updates an endpoint. Name and URL are required. The signing secret does not change.","access":"a session or a bot key: the permission iam.webhooks.write in Endpoint.Tenant; or if the request names no Tenant, iam.webhooks.write in the stored endpoint's tenant; without it the result is not_found","answers":"record","tenant":"Endpoint.Tenant",
    fields: [
      {"path":"Endpoint.ID","kind":"text","required":false,"text":"Set by the service on create, required on update."},
      {"path":"Endpoint.Tenant","kind":"text","required":false,"text":"If absent on create, the bot's tenant or the user's only tenant. It never changes."},
      {"path":"Endpoint.Name","kind":"text","required":true,"text":""},
      {"path":"Endpoint.URL","kind":"text","required":true,"text":"The URL that receives deliveries: https, at most 2,048 characters."},
      {"path":"Endpoint.Active","kind":"flag","required":false,"text":"If absent on update, the stored value is kept."},
      {"path":"Endpoint.EventTypes","kind":"texts","required":false,"text":"The event types to receive. \"user.*\" means every event type that begins with \"user.\". Empty means all event types."},
      {"path":"Endpoint.Description","kind":"text","required":false,"text":""},
      {"path":"Endpoint.RateLimit","kind":"number","required":false,"text":"Deliveries per second; 0 means no limit for this endpoint."},
    ],
  },
};
