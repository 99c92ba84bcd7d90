// Generated from the proto files by `npm run generate`. Do not edit.

/** How a field is written on a command line. "json" is a record in a list, "texts" and "json" may be repeated, a "secret" never stands there. */
export type FieldKind = 'text' | 'secret' | 'texts' | 'flag' | 'number' | 'time' | 'bytes' | 'map' | 'json';

export type Field = { readonly path: string; readonly kind: FieldKind; readonly required: boolean; readonly text: string };

export type Help = {
  readonly text: string;
  /** Who may call. */
  readonly access: string;
  /** Whether it answers a page, or one long text. */
  readonly answers: 'record' | 'page' | 'stream';
  /** The field that must name a tenant; '' where the operation has none, or where an empty tenant has a meaning of its own. */
  readonly tenant: string;
  readonly fields: readonly Field[];
};

/** How the service reads a time. */
export const rfc3339 = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

export const operations: Readonly<Record<string, Help>> = {
  Access_Check: {
    "text":"Whether a subject holds a permission, or each of several.","access":"a session or a bot key: the permission iam.grants.read in Tenant; or about the caller itself, user or bot","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Subject","kind":"text","required":false,"text":"A user or bot; empty = the caller."},
      {"path":"Permission","kind":"text","required":false,"text":""},
      {"path":"Resource","kind":"text","required":false,"text":"The application's own name of a thing; empty = the whole tenant."},
      {"path":"Checks","kind":"json","required":false,"text":"More questions about the same subject, or all of them."},
    ],
  },
  Access_Explain: {
    "text":"Every way by which a subject holds a permission, or what is missing.","access":"a session or a bot key: the permission iam.grants.read in Tenant; or about the caller itself, user or bot","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Subject","kind":"text","required":false,"text":"A user or bot; empty = the caller."},
      {"path":"Permission","kind":"text","required":true,"text":""},
      {"path":"Resource","kind":"text","required":false,"text":"The application's own name of a thing; empty = the whole tenant."},
    ],
  },
  Access_ListPermissions: {
    "text":"All that a subject holds, as it was granted: an entry may end in \"*\".","access":"a session or a bot key: the permission iam.grants.read in Tenant; or about the caller itself, user or bot","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Subject","kind":"text","required":false,"text":"A user or bot; empty = the caller."},
      {"path":"Resource","kind":"text","required":false,"text":"The application's own name of a thing; empty = the whole tenant."},
    ],
  },
  Access_Plan: {
    "text":"What changes would make of everybody's permissions. Nothing is changed.","access":"a session or a bot key: the permission iam.grants.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Changes","kind":"json","required":true,"text":""},
    ],
  },
  Account_ChangeEmail: {
    "text":"Mails a token to a new address; Account_Verify with that token makes it the account's address. The answer is the same whether or not somebody else has the address.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
      {"path":"Password","kind":"secret","required":false,"text":"The account's password. Where it has none the sign-in must not be older than 15 minutes."},
    ],
  },
  Account_ChangePassword: {
    "text":"Changes the caller's password, and ends all other sessions of the account.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"Current","kind":"secret","required":true,"text":""},
      {"path":"Password","kind":"secret","required":true,"text":"8 to 256 characters, none of the common ones."},
    ],
  },
  Account_ExchangeCode: {
    "text":"Begins the session that single sign-on has promised an application with a code. The code works once, for a minute, and in a browser only for pages of the origin that it was sent to.","access":"anybody","answers":"record","tenant":"",
    fields: [
      {"path":"Code","kind":"secret","required":true,"text":""},
      {"path":"Cookie","kind":"flag","required":false,"text":"For a browser: the token goes into an HttpOnly cookie, and Token in the answer is empty."},
    ],
  },
  Account_Get: {
    "text":"The caller's own account and the tenants it belongs to.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Account_Login: {
    "text":"Signs in with address and password. The token is shown once. Where the domain of the address wants single sign-on, nobody's password serves.","access":"anybody","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
      {"path":"Password","kind":"secret","required":true,"text":""},
      {"path":"Cookie","kind":"flag","required":false,"text":"For a browser: the token goes into an HttpOnly cookie, and Token in the answer is empty."},
    ],
  },
  Account_Logout: {
    "text":"Ends the caller's session.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Account_Register: {
    "text":"Registers an account and mails a verification token. The answer is the same whether or not the address is known already: a known address gets a mail that says so.","access":"anybody","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
      {"path":"Password","kind":"secret","required":true,"text":"8 to 256 characters, none of the common ones."},
    ],
  },
  Account_RequestPasswordReset: {
    "text":"Mails a password reset token if the address has an account. Always succeeds.","access":"anybody","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  Account_ResendVerification: {
    "text":"Mails the verification of the newest registration of this address again. Always succeeds.","access":"anybody","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  Account_ResetPassword: {
    "text":"Sets a new password with the token that was mailed, and ends all sessions of the account.","access":"anybody","answers":"record","tenant":"",
    fields: [
      {"path":"Token","kind":"secret","required":true,"text":""},
      {"path":"Password","kind":"secret","required":true,"text":"8 to 256 characters, none of the common ones."},
    ],
  },
  Account_Update: {
    "text":"Changes the caller's profile. What is absent stays as it is; the address has an operation of its own.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"User.Name","kind":"text","required":false,"text":""},
      {"path":"User.GivenName","kind":"text","required":false,"text":""},
      {"path":"User.FamilyName","kind":"text","required":false,"text":""},
      {"path":"User.Picture","kind":"text","required":false,"text":"The address of a picture."},
      {"path":"User.Locale","kind":"text","required":false,"text":"A language tag such as pt-BR."},
      {"path":"User.Metadata","kind":"map","required":false,"text":""},
      {"path":"User.Email","kind":"text","required":false,"text":"As it is stored. Another address is refused: Account_ChangeEmail changes it."},
      {"path":"User.ExternalID","kind":"text","required":false,"text":"As it is stored. Changing it needs iam.platform.users.write."},
    ],
  },
  Account_Verify: {
    "text":"Verifies the address of a registration with the token that was mailed.","access":"anybody","answers":"record","tenant":"",
    fields: [
      {"path":"Token","kind":"secret","required":true,"text":""},
    ],
  },
  Audit_Anchor: {
    "text":"The end of a tenant's chain as it is now, signed. Keep it where the database's administrators cannot change it: Audit_Verify with it proves later that nothing before it has changed or gone.","access":"a session or a bot key: the permission iam.audit.read in Tenant; or the permission iam.platform.audit.read on the platform, where Tenant is empty","answers":"record","tenant":"",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty = the platform's own entries."},
    ],
  },
  Audit_Export: {
    "text":"The audit entries of a tenant, oldest first, as one text: NDJSON or CSV. An export that ends early was cut off: the connection breaks, and no end is sent.","access":"a session or a bot key: the permission iam.audit.export in Tenant; or the permission iam.platform.audit.read on the platform, where Tenant is empty","answers":"stream","tenant":"",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty = the platform's own entries."},
      {"path":"Format","kind":"text","required":false,"text":"ndjson or csv; empty = ndjson."},
      {"path":"Filter.Actions","kind":"texts","required":false,"text":""},
      {"path":"Filter.ActorIDs","kind":"texts","required":false,"text":""},
      {"path":"Filter.TargetIDs","kind":"texts","required":false,"text":""},
      {"path":"Filter.IP","kind":"text","required":false,"text":""},
      {"path":"Filter.Result","kind":"text","required":false,"text":"success, denied or failed."},
      {"path":"Filter.From","kind":"time","required":false,"text":"Inclusive."},
      {"path":"Filter.To","kind":"time","required":false,"text":"Exclusive."},
    ],
  },
  Audit_List: {
    "text":"The audit entries of a tenant, newest first.","access":"a session or a bot key: the permission iam.audit.read in Tenant; or the permission iam.platform.audit.read on the platform, where Tenant is empty","answers":"page","tenant":"",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty = the platform's own entries."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
      {"path":"Filter.Actions","kind":"texts","required":false,"text":""},
      {"path":"Filter.ActorIDs","kind":"texts","required":false,"text":""},
      {"path":"Filter.TargetIDs","kind":"texts","required":false,"text":""},
      {"path":"Filter.IP","kind":"text","required":false,"text":""},
      {"path":"Filter.Result","kind":"text","required":false,"text":"success, denied or failed."},
      {"path":"Filter.From","kind":"time","required":false,"text":"Inclusive."},
      {"path":"Filter.To","kind":"time","required":false,"text":"Exclusive."},
    ],
  },
  Audit_ListByUser: {
    "text":"The audit entries of what a user did, newest first.","access":"a session or a bot key: being the user of UserID; or the permission iam.audit.read in Tenant; or the permission iam.platform.audit.read on the platform, where Tenant is empty","answers":"page","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Tenant","kind":"text","required":false,"text":"Only entries of this tenant."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
      {"path":"Filter.Actions","kind":"texts","required":false,"text":""},
      {"path":"Filter.ActorIDs","kind":"texts","required":false,"text":""},
      {"path":"Filter.TargetIDs","kind":"texts","required":false,"text":""},
      {"path":"Filter.IP","kind":"text","required":false,"text":""},
      {"path":"Filter.Result","kind":"text","required":false,"text":"success, denied or failed."},
      {"path":"Filter.From","kind":"time","required":false,"text":"Inclusive."},
      {"path":"Filter.To","kind":"time","required":false,"text":"Exclusive."},
    ],
  },
  Audit_Verify: {
    "text":"Whether the entries of a tenant are those that were written: computes the hashes again, at most 20,000 a call.","access":"a session or a bot key: the permission iam.audit.read in Tenant; or the permission iam.platform.audit.read on the platform, where Tenant is empty","answers":"record","tenant":"",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty = the platform's own entries."},
      {"path":"Cursor","kind":"text","required":false,"text":"The NextCursor of the call before; empty = from the beginning."},
      {"path":"Anchor","kind":"text","required":false,"text":"What Audit_Anchor returned for this tenant; empty = no anchor. Every page of one verification takes the same."},
    ],
  },
  BotGrants_Add: {
    "text":"Grants a role to a bot. Repeating it changes nothing but the expiry.","access":"a session or a bot key: the permission iam.grants.write in Grant.Tenant; or the permission iam.platform.grants.write on the platform, where Grant.Platform is true","answers":"record","tenant":"Grant.Tenant",
    fields: [
      {"path":"Grant.Tenant","kind":"text","required":false,"text":"Required, unless Platform is true."},
      {"path":"Grant.Bot","kind":"text","required":true,"text":""},
      {"path":"Grant.Role","kind":"text","required":true,"text":"The role's slug."},
      {"path":"Grant.Resource","kind":"text","required":false,"text":"The application's own name of the thing the grant is about; empty = the whole tenant."},
      {"path":"Grant.ExpiresAt","kind":"time","required":false,"text":"Absent = never."},
      {"path":"Grant.Platform","kind":"flag","required":false,"text":"A grant on the platform, which counts in every tenant. It must be said, and Tenant left out."},
    ],
  },
  BotGrants_ListByTenant: {
    "text":"The grants to bots in a tenant.","access":"a session or a bot key: the permission iam.grants.read in Tenant; or the permission iam.platform.grants.read on the platform, where Platform is true","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Required, unless Platform is true."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
      {"path":"Platform","kind":"flag","required":false,"text":"The grants on the platform instead of a tenant's. Tenant must be left out."},
      {"path":"IncludePlatform","kind":"flag","required":false,"text":"Beside the tenant's grants, those on the platform that count in the tenant now: Platform is true in them, and CreatedBy is left out."},
    ],
  },
  BotGrants_Remove: {
    "text":"Takes back the grant of this Tenant (or Platform), Bot, Role and Resource.","access":"a session or a bot key: the permission iam.grants.write in Grant.Tenant; or the permission iam.platform.grants.write on the platform, where Grant.Platform is true","answers":"record","tenant":"Grant.Tenant",
    fields: [
      {"path":"Grant.Tenant","kind":"text","required":false,"text":"Required, unless Platform is true."},
      {"path":"Grant.Bot","kind":"text","required":true,"text":""},
      {"path":"Grant.Role","kind":"text","required":true,"text":"The role's slug."},
      {"path":"Grant.Resource","kind":"text","required":false,"text":"The application's own name of the thing the grant is about; empty = the whole tenant."},
      {"path":"Grant.ExpiresAt","kind":"time","required":false,"text":"Absent = never."},
      {"path":"Grant.Platform","kind":"flag","required":false,"text":"A grant on the platform, which counts in every tenant. It must be said, and Tenant left out."},
    ],
  },
  BotKeys_Create: {
    "text":"Makes a key. Its secret is in the answer and is never shown again.","access":"a session or a bot key: the permission iam.botkeys.write in Tenant; where the tenant demands it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Bot","kind":"text","required":true,"text":""},
      {"path":"Name","kind":"text","required":true,"text":""},
      {"path":"ExpiresAt","kind":"time","required":false,"text":"At most 365 days ahead, or as many as the tenant allows; absent = in 90 days."},
      {"path":"Permissions","kind":"texts","required":false,"text":"Narrows the key to these of the bot's permissions; empty = all of them."},
      {"path":"AllowedIPs","kind":"texts","required":false,"text":"Addresses and networks the key may be used from, such as 192.0.2.0/24; empty = anywhere. From elsewhere it is no credential: 401."},
    ],
  },
  BotKeys_Get: {
    "text":"One key, without its secret.","access":"a session or a bot key: the permission iam.bots.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  BotKeys_List: {
    "text":"The keys of a bot, expired and revoked ones included.","access":"a session or a bot key: the permission iam.bots.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Bot","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  BotKeys_Rotate: {
    "text":"Makes a key's successor, with the same bot, name, permissions and networks. The old key works for another 24 hours at most. A bot may rotate its own keys only.","access":"a session or a bot key: the permission iam.botkeys.write in Tenant; where the tenant demands it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"ExpiresAt","kind":"time","required":false,"text":"At most 365 days ahead, or as many as the tenant allows; absent = in 90 days."},
    ],
  },
  BotKeys_SetExpiration: {
    "text":"Moves a key's expiry. Now or a time in the past revokes it.","access":"a session or a bot key: the permission iam.botkeys.write in Tenant; where the tenant demands it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"ExpiresAt","kind":"time","required":true,"text":"At most 365 days ahead, or as many as the tenant allows. Now or the past = revoked."},
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
    "text":"One bot.","access":"a session or a bot key: the permission iam.bots.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Bots_List: {
    "text":"The bots of a tenant.","access":"a session or a bot key: the permission iam.bots.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Bots_Save: {
    "text":"Creates a bot, or changes the one with the ID that is sent.","access":"a session or a bot key: the permission iam.bots.write in Bot.Tenant","answers":"record","tenant":"Bot.Tenant",
    fields: [
      {"path":"Bot.ID","kind":"text","required":false,"text":"Empty on save = a new bot."},
      {"path":"Bot.Tenant","kind":"text","required":true,"text":""},
      {"path":"Bot.Name","kind":"text","required":true,"text":""},
      {"path":"Bot.Description","kind":"text","required":false,"text":""},
      {"path":"Bot.Active","kind":"flag","required":false,"text":"An inactive bot's keys are refused. Absent = as it was; a new bot is active."},
      {"path":"Bot.Metadata","kind":"map","required":false,"text":""},
      {"path":"IfUpdatedAt","kind":"time","required":false,"text":"Save only if the stored bot's UpdatedAt is still this one."},
    ],
  },
  Chat_CreateEndpoint: {
    "text":"Creates an endpoint. Its address is sealed and never shown again.","access":"a session or a bot key: the permission iam.chat.write in Endpoint.Tenant","answers":"record","tenant":"Endpoint.Tenant",
    fields: [
      {"path":"Endpoint.Tenant","kind":"text","required":false,"text":"Absent on create = the bot's tenant or the user's only one. It never changes."},
      {"path":"Endpoint.Name","kind":"text","required":true,"text":""},
      {"path":"Endpoint.Active","kind":"flag","required":false,"text":"Absent on update = as it was."},
      {"path":"Endpoint.EventTypes","kind":"texts","required":false,"text":"The event types to receive, \"user.*\" allowed as in \"every event of a user\"; empty = all."},
      {"path":"Endpoint.Description","kind":"text","required":false,"text":""},
      {"path":"URL","kind":"secret","required":true,"text":"The incoming-webhook URL of the chat service. It is sealed and never returned."},
    ],
  },
  Chat_DeleteEndpoint: {
    "text":"Deletes an endpoint. Deliveries that wait for it are dropped.","access":"a session or a bot key: the permission iam.chat.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Chat_GetEndpoint: {
    "text":"One endpoint.","access":"a session or a bot key: the permission iam.chat.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Chat_GetMessage: {
    "text":"A message that was sent to an endpoint, with its body and its attempts, for as long as bodies are kept: 7 days where the installation says nothing else.","access":"a session or a bot key: the permission iam.chat.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":"The endpoint."},
      {"path":"MessageID","kind":"text","required":true,"text":"The message's identifier: ID of its attempts."},
    ],
  },
  Chat_ListAttempts: {
    "text":"The attempts of the last 30 days to deliver to the tenant's endpoints, newest first, without their bodies.","access":"a session or a bot key: the permission iam.chat.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Endpoint","kind":"text","required":false,"text":""},
      {"path":"Outcome","kind":"text","required":false,"text":"What came of the attempt."},
      {"path":"EventType","kind":"text","required":false,"text":""},
      {"path":"Since","kind":"time","required":false,"text":"Attempts that began at this time or later."},
      {"path":"Until","kind":"time","required":false,"text":"Attempts that began before this time."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Chat_ListEndpoints: {
    "text":"The endpoints of a tenant.","access":"a session or a bot key: the permission iam.chat.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Chat_ReplayFailed: {
    "text":"Sends once more what could not be delivered to an endpoint, with all of its attempts before it.","access":"a session or a bot key: the permission iam.chat.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"Since","kind":"time","required":false,"text":"What happened at this time or later. Absent = all that is kept, 30 days."},
      {"path":"Until","kind":"time","required":false,"text":"What happened before this time. Absent = now."},
    ],
  },
  Chat_Resend: {
    "text":"Sends one message again to the endpoint that it was sent to, with the same identifier and body and all of its attempts before it. The endpoint must be active.","access":"a session or a bot key: the permission iam.chat.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":"The endpoint."},
      {"path":"MessageID","kind":"text","required":true,"text":"The message's identifier: ID of its attempts."},
    ],
  },
  Chat_SendTest: {
    "text":"Sends an endpoint.ping event to one endpoint, now and just once, also to one that is inactive: that is when a test is wanted. At most ten a minute for each endpoint.","access":"a session or a bot key: the permission iam.chat.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Chat_UpdateEndpoint: {
    "text":"Replaces an endpoint's name and other settings as sent. An empty URL leaves the stored one.","access":"a session or a bot key: the permission iam.chat.write in Endpoint.Tenant; or without a Tenant in the request, iam.chat.write in the stored endpoint's tenant decides, and a caller without it gets not_found","answers":"record","tenant":"",
    fields: [
      {"path":"Endpoint.ID","kind":"text","required":false,"text":"Set by the service on create, required on update."},
      {"path":"Endpoint.Tenant","kind":"text","required":false,"text":"Absent on create = the bot's tenant or the user's only one. It never changes."},
      {"path":"Endpoint.Name","kind":"text","required":true,"text":""},
      {"path":"Endpoint.Active","kind":"flag","required":false,"text":"Absent on update = as it was."},
      {"path":"Endpoint.EventTypes","kind":"texts","required":false,"text":"The event types to receive, \"user.*\" allowed as in \"every event of a user\"; empty = all."},
      {"path":"Endpoint.Description","kind":"text","required":false,"text":""},
      {"path":"URL","kind":"secret","required":false,"text":"Empty = the stored URL stays."},
    ],
  },
  Domain_Create: {
    "text":"Claims a domain. The answer says which DNS TXT record proves it, within seven days.","access":"a session or a bot key: the permission iam.domains.write in Tenant; where the tenant demands it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Name","kind":"text","required":true,"text":"Such as example.com. International names are taken in either form."},
      {"path":"Capture","kind":"text","required":false,"text":"off, suggest, join or require_sso; empty = off."},
      {"path":"DefaultRole","kind":"text","required":false,"text":"The role of those who join through the domain, never owner; empty = the tenant's default role."},
    ],
  },
  Domain_Delete: {
    "text":"Gives a domain up.","access":"a session or a bot key: the permission iam.domains.write in Tenant; where the tenant demands it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Domain_Get: {
    "text":"One domain.","access":"a session or a bot key: the permission iam.domains.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Domain_Join: {
    "text":"Makes the caller a member of such a tenant, with the domain's DefaultRole.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Domain_List: {
    "text":"The domains of a tenant.","access":"a session or a bot key: the permission iam.domains.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Domain_ListSuggestions: {
    "text":"The tenants that the caller may join because its verified address is at a domain of theirs: where Capture is suggest, or join and the caller was there before the domain.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Domain_Update: {
    "text":"Changes what a domain means. What is not sent stays as it is.","access":"a session or a bot key: the permission iam.domains.write in Tenant; where the tenant demands it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"Capture","kind":"text","required":false,"text":"off, suggest, join or require_sso."},
      {"path":"DefaultRole","kind":"text","required":false,"text":"The role of those who join through the domain, never owner; empty = the tenant's default role."},
    ],
  },
  Domain_Verify: {
    "text":"Looks for the TXT record now, at most once a minute. Without it the domain stays pending, and FailureReason says what was found.","access":"a session or a bot key: the permission iam.domains.write in Tenant; where the tenant demands it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Events_Publish: {
    "text":"Publishes an event of an application to the tenant's endpoints that ask for its type. It is delivered like every other event: in the same envelope, signed, with retries, to webhooks and to chat.","access":"a session or a bot key: the permission iam.events.publish in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Type","kind":"text","required":true,"text":"The event's type, such as report.finished. The families of the service's own events are not for applications."},
      {"path":"Body","kind":"bytes","required":true,"text":"A JSON object in UTF-8, at most 64 KiB. It becomes the event's data as it is, byte for byte."},
      {"path":"ID","kind":"text","required":false,"text":"A name of the caller's for this event. A second call with the same one within ten minutes publishes nothing, and answers as the first. Empty = every call publishes."},
    ],
  },
  Grants_Add: {
    "text":"Grants a role to a user. Repeating it changes nothing but the expiry.","access":"a session or a bot key: the permission iam.grants.write in Grant.Tenant; or the permission iam.platform.grants.write on the platform, where Grant.Platform is true","answers":"record","tenant":"Grant.Tenant",
    fields: [
      {"path":"Grant.Tenant","kind":"text","required":false,"text":"Required, unless Platform is true."},
      {"path":"Grant.UserID","kind":"text","required":true,"text":""},
      {"path":"Grant.Role","kind":"text","required":true,"text":"The role's slug."},
      {"path":"Grant.Resource","kind":"text","required":false,"text":"The application's own name of the thing the grant is about; empty = the whole tenant."},
      {"path":"Grant.ExpiresAt","kind":"time","required":false,"text":"Absent = never."},
      {"path":"Grant.Platform","kind":"flag","required":false,"text":"A grant on the platform, which counts in every tenant. It must be said, and Tenant left out."},
    ],
  },
  Grants_List: {
    "text":"A user's grants, of all tenants whose grants the caller may read.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.grants.read on the platform; or only the rows of tenants where the caller holds iam.grants.read","answers":"page","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Grants_ListByTenant: {
    "text":"The grants to users in a tenant.","access":"a session or a bot key: the permission iam.grants.read in Tenant; or the permission iam.platform.grants.read on the platform, where Platform is true","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Required, unless Platform is true."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
      {"path":"Platform","kind":"flag","required":false,"text":"The grants on the platform instead of a tenant's. Tenant must be left out."},
      {"path":"IncludePlatform","kind":"flag","required":false,"text":"Beside the tenant's grants, those on the platform that count in the tenant now: Platform is true in them, and CreatedBy is left out."},
    ],
  },
  Grants_Remove: {
    "text":"Takes back the grant of this Tenant (or Platform), UserID, Role and Resource.","access":"a session or a bot key: the permission iam.grants.write in Grant.Tenant; or the permission iam.platform.grants.write on the platform, where Grant.Platform is true","answers":"record","tenant":"Grant.Tenant",
    fields: [
      {"path":"Grant.Tenant","kind":"text","required":false,"text":"Required, unless Platform is true."},
      {"path":"Grant.UserID","kind":"text","required":true,"text":""},
      {"path":"Grant.Role","kind":"text","required":true,"text":"The role's slug."},
      {"path":"Grant.Resource","kind":"text","required":false,"text":"The application's own name of the thing the grant is about; empty = the whole tenant."},
      {"path":"Grant.ExpiresAt","kind":"time","required":false,"text":"Absent = never."},
      {"path":"Grant.Platform","kind":"flag","required":false,"text":"A grant on the platform, which counts in every tenant. It must be said, and Tenant left out."},
    ],
  },
  GroupGrants_Add: {
    "text":"Grants a role to a group. Repeating it changes nothing but the expiry.","access":"a session or a bot key: the permission iam.grants.write in Grant.Tenant","answers":"record","tenant":"Grant.Tenant",
    fields: [
      {"path":"Grant.Tenant","kind":"text","required":true,"text":""},
      {"path":"Grant.Group","kind":"text","required":true,"text":"The group's path."},
      {"path":"Grant.Role","kind":"text","required":true,"text":"The role's slug."},
      {"path":"Grant.Resource","kind":"text","required":false,"text":"The application's own name of the thing the grant is about; empty = the whole tenant."},
      {"path":"Grant.ExpiresAt","kind":"time","required":false,"text":"Absent = never."},
    ],
  },
  GroupGrants_ListByTenant: {
    "text":"The grants to groups in a tenant.","access":"a session or a bot key: the permission iam.grants.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  GroupGrants_Remove: {
    "text":"Takes back the grant of this Tenant, Group, Role and Resource.","access":"a session or a bot key: the permission iam.grants.write in Grant.Tenant","answers":"record","tenant":"Grant.Tenant",
    fields: [
      {"path":"Grant.Tenant","kind":"text","required":true,"text":""},
      {"path":"Grant.Group","kind":"text","required":true,"text":"The group's path."},
      {"path":"Grant.Role","kind":"text","required":true,"text":"The role's slug."},
      {"path":"Grant.Resource","kind":"text","required":false,"text":"The application's own name of the thing the grant is about; empty = the whole tenant."},
      {"path":"Grant.ExpiresAt","kind":"time","required":false,"text":"Absent = never."},
    ],
  },
  Groups_AddMember: {
    "text":"Adds a member of the tenant to a group. Nothing changes where the user is in it already.","access":"a session or a bot key: the permission iam.groups.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Group","kind":"text","required":true,"text":"The group's path."},
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  Groups_Delete: {
    "text":"Deletes a group with its memberships and grants. Groups below it stay.","access":"a session or a bot key: the permission iam.groups.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Path","kind":"text","required":true,"text":""},
    ],
  },
  Groups_Get: {
    "text":"One group; null where there is none of that path.","access":"a session or a bot key: the permission iam.groups.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Path","kind":"text","required":true,"text":""},
    ],
  },
  Groups_List: {
    "text":"The groups of a tenant.","access":"a session or a bot key: the permission iam.groups.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Groups_ListByTenant: {
    "text":"The groups of a tenant: the same as Groups_List.","access":"a session or a bot key: the permission iam.groups.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Groups_ListMemberGroups: {
    "text":"The groups a user is in, of all tenants whose groups the caller may read.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.groups.read on the platform; or only the rows of tenants where the caller holds iam.groups.read","answers":"page","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
      {"path":"Effective","kind":"flag","required":false,"text":"Also the groups above those the user is in."},
    ],
  },
  Groups_ListMembers: {
    "text":"The ids of the users in a group.","access":"a session or a bot key: the permission iam.groups.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Group","kind":"text","required":true,"text":"The group's path."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
      {"path":"Effective","kind":"flag","required":false,"text":"Also the members of the groups below this one."},
    ],
  },
  Groups_RemoveMember: {
    "text":"Takes a user out of a group.","access":"a session or a bot key: the permission iam.groups.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Group","kind":"text","required":true,"text":"The group's path."},
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  Groups_Save: {
    "text":"Creates the group of this tenant and path, or changes it.","access":"a session or a bot key: the permission iam.groups.write in Group.Tenant","answers":"record","tenant":"Group.Tenant",
    fields: [
      {"path":"Group.Tenant","kind":"text","required":true,"text":""},
      {"path":"Group.Path","kind":"text","required":true,"text":"Where the group stands, such as eng/backend. Letter case and a leading \"/\" make no difference."},
      {"path":"Group.Name","kind":"text","required":false,"text":""},
      {"path":"Group.Description","kind":"text","required":false,"text":""},
      {"path":"Group.ExternalID","kind":"text","required":false,"text":"The group's id in another system."},
      {"path":"Group.Metadata","kind":"map","required":false,"text":""},
      {"path":"IfUpdatedAt","kind":"time","required":false,"text":"Save only if the stored group's UpdatedAt is still this one."},
    ],
  },
  Keys_Rotate: {
    "text":"Gives a tenant a new data key, or all of them in the background. What the old one sealed is sealed anew while work goes on.","access":"a session or a bot key: the permission iam.platform.keys.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty = everybody's, the platform's own included."},
    ],
  },
  Keys_Status: {
    "text":"Which key-encryption keys wrap how many data keys, and what a rotation has still to do.","access":"a session or a bot key: the permission iam.platform.keys.read on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Empty = none: the answer is about all of them together."},
    ],
  },
  Mail_DeleteSuppression: {
    "text":"Mails to an address again, for example after its mailbox was made anew.","access":"a session or a bot key: the permission iam.platform.mail.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  Mail_GetSuppression: {
    "text":"Since when, until when and why nothing is mailed to an address. Not found where it is mailed to.","access":"a session or a bot key: the permission iam.platform.mail.read on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  Roles_Delete: {
    "text":"Deletes a role that is not granted to anybody.","access":"a session or a bot key: the permission iam.roles.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Slug","kind":"text","required":true,"text":""},
    ],
  },
  Roles_Get: {
    "text":"One role; null where there is none of that slug.","access":"a session or a bot key: the permission iam.roles.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Slug","kind":"text","required":true,"text":""},
    ],
  },
  Roles_List: {
    "text":"The roles of a tenant, the built-in ones included.","access":"a session or a bot key: the permission iam.roles.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Roles_ListByTenant: {
    "text":"The roles of a tenant: the same as Roles_List.","access":"a session or a bot key: the permission iam.roles.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Roles_ListPermissions: {
    "text":"The permissions of Bailiwick's own that a role of the tenant can hold, or those of the platform, each with what it allows and the operations that ask for it. An application's permissions are in no list: roles name them freely.","access":"a session or a bot key: the permission iam.roles.read in Tenant; or the permission iam.platform.grants.read on the platform, where Platform is true","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":false,"text":"Required, unless Platform is true."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
      {"path":"Platform","kind":"flag","required":false,"text":"The permissions of the platform instead of a tenant's. Tenant must be left out."},
    ],
  },
  Roles_Save: {
    "text":"Creates the role of this tenant and slug, or changes it. Nobody puts a permission into a role that they do not hold themselves.","access":"a session or a bot key: the permission iam.roles.write in Role.Tenant","answers":"record","tenant":"Role.Tenant",
    fields: [
      {"path":"Role.Tenant","kind":"text","required":true,"text":""},
      {"path":"Role.Slug","kind":"text","required":true,"text":"Names the role in its tenant; never changes."},
      {"path":"Role.Name","kind":"text","required":false,"text":""},
      {"path":"Role.Description","kind":"text","required":false,"text":""},
      {"path":"Role.Permissions","kind":"texts","required":false,"text":"At most 200, such as app.reports.read or app.reports.*. Those that begin with iam. are Bailiwick's own."},
      {"path":"IfUpdatedAt","kind":"time","required":false,"text":"Save only if the stored role's UpdatedAt is still this one."},
    ],
  },
  Sessions_List: {
    "text":"The caller's sessions.","access":"a session, about the caller","answers":"page","tenant":"",
    fields: [
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Sessions_Revoke: {
    "text":"Ends one of the caller's sessions. Nothing changes where it has ended already.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Sessions_RevokeAll: {
    "text":"Ends all of the caller's sessions, the one of this call included.","access":"a session, about the caller","answers":"record","tenant":"",
    fields: [],
  },
  Sso_Check: {
    "text":"Where people with such an address sign in. The answer depends on the domain only, never on whether there is an account.","access":"anybody","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  Sso_DeleteProvider: {
    "text":"Deletes a provider. Whoever has signed in through it is signed out, and knows it as little as it knows them.","access":"a session or a bot key: the permission iam.sso.write in Tenant; where the tenant demands it, signed in within the last 15 minutes","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Sso_GetProvider: {
    "text":"One provider.","access":"a session or a bot key: the permission iam.sso.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Sso_LiftRequirement: {
    "text":"Lets a tenant's owners in with their passwords for an hour, where the tenant wants single sign-on and that is broken. All owners are told by mail.","access":"a bot key: the permission iam.sso.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Minutes","kind":"number","required":false,"text":"From now on, at most 60; absent = 60, 0 = it is over."},
    ],
  },
  Sso_ListProviders: {
    "text":"The providers of a tenant.","access":"a session or a bot key: the permission iam.sso.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Sso_SaveProvider: {
    "text":"Creates an identity provider, or changes the one with the ID that is sent.","access":"a session or a bot key: the permission iam.sso.write in Provider.Tenant; where the tenant demands it, signed in within the last 15 minutes","answers":"record","tenant":"Provider.Tenant",
    fields: [
      {"path":"Provider.ID","kind":"text","required":false,"text":"Empty on save = a new provider."},
      {"path":"Provider.Tenant","kind":"text","required":true,"text":""},
      {"path":"Provider.Kind","kind":"text","required":false,"text":"oidc or saml. It never changes; absent on update = as it is."},
      {"path":"Provider.Name","kind":"text","required":true,"text":""},
      {"path":"Provider.Active","kind":"flag","required":false,"text":"Absent = active on create, as it was on update."},
      {"path":"Provider.Issuer","kind":"text","required":false,"text":"OIDC: where the provider's configuration is found, as it names itself."},
      {"path":"Provider.ClientID","kind":"text","required":false,"text":"OIDC: what the provider knows us as."},
      {"path":"Provider.Scopes","kind":"texts","required":false,"text":"OIDC: what is asked for besides openid; absent = email and profile."},
      {"path":"Provider.TokenAuthMethod","kind":"text","required":false,"text":"OIDC: client_secret_basic, client_secret_post, client_secret_jwt, private_key_jwt or none."},
      {"path":"Provider.ResponseMode","kind":"text","required":false,"text":"OIDC: query or form_post."},
      {"path":"Provider.IdpEntityID","kind":"text","required":false,"text":"SAML: what the provider calls itself."},
      {"path":"Provider.IdpSsoURL","kind":"text","required":false,"text":"SAML: where people sign in."},
      {"path":"Provider.IdpCertificates","kind":"texts","required":false,"text":"SAML: the certificates it may sign with, in PEM or as base64. During a rollover there are two."},
      {"path":"Provider.RequestBinding","kind":"text","required":false,"text":"SAML: how sign-ins are asked for: redirect or post."},
      {"path":"Provider.AllowIdpInitiated","kind":"flag","required":false,"text":"SAML: whether answers are taken that nobody has asked for. That is open to login CSRF, so it is off by default."},
      {"path":"Provider.Jit","kind":"flag","required":false,"text":"Whether somebody who has no account gets one. Absent on create = yes."},
      {"path":"Provider.DefaultRoles","kind":"texts","required":false,"text":"The roles of those who become members by signing in; none = the tenant's default role."},
      {"path":"Provider.GroupMappings","kind":"json","required":false,"text":"What the provider's groups mean here."},
      {"path":"Provider.AttributeMap","kind":"map","required":false,"text":"Where other than in the usual places the provider says what: Subject, Email, EmailVerified, Name, GivenName, FamilyName, Picture, Locale, Groups → the name of a claim or attribute."},
      {"path":"Secret","kind":"secret","required":false,"text":"OIDC: the client secret. It is sealed and never returned; empty = the stored one stays."},
      {"path":"MetadataXML","kind":"text","required":false,"text":"SAML: the provider's metadata, from which its names, addresses and certificates are taken."},
      {"path":"MetadataURL","kind":"text","required":false,"text":"The same, to be fetched now."},
      {"path":"IfUpdatedAt","kind":"time","required":false,"text":"Save only if the stored provider's UpdatedAt is still this one."},
    ],
  },
  Sso_TestProvider: {
    "text":"Looks at a provider as a sign-in would: whether it can be reached, its keys and certificates, and the addresses that it has to know of us. Nobody is signed in.","access":"a session or a bot key: the permission iam.sso.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  TenantInvitations_Accept: {
    "text":"Makes the caller a member with the invitation's roles and groups.","access":"a session: the caller's verified address is the invited one","answers":"record","tenant":"",
    fields: [
      {"path":"Token","kind":"secret","required":true,"text":""},
    ],
  },
  TenantInvitations_Create: {
    "text":"Invites an address and mails it the token. Inviting it again voids the older token.","access":"a session or a bot key: the permission iam.invitations.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Email","kind":"text","required":true,"text":""},
      {"path":"Roles","kind":"texts","required":false,"text":"The roles the new member gets; none = the tenant's default role."},
      {"path":"Groups","kind":"texts","required":false,"text":"The paths of the groups the new member joins."},
    ],
  },
  TenantInvitations_Decline: {
    "text":"Turns an invitation down.","access":"anybody: whoever holds the invitation's token may turn it down","answers":"record","tenant":"",
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
  TenantInvitations_List: {
    "text":"The invitations of a tenant in all states, newest first.","access":"a session or a bot key: the permission iam.invitations.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  TenantInvitations_ListByEmail: {
    "text":"The invitations of an address into any tenant, newest first.","access":"a session or a bot key: the permission iam.platform.invitations.read on the platform; or the address is the caller's own, verified, in whatever spelling","answers":"page","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  TenantMembers_Accept: {
    "text":"Accepts the caller's own pending membership. Accepting again changes nothing.","access":"a session: the caller was added to the tenant and has not declined","answers":"record","tenant":"",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  TenantMembers_Add: {
    "text":"Adds a user to a tenant. The membership is pending until the user accepts it with TenantMembers_Accept: until then it gives no rights and reveals nothing of the user. It is active at once where the caller holds iam.platform.users.write, or where the user's verified address is in a verified domain of the tenant. Nothing changes for a user who is a member, was added already, or has declined within the last 30 days.","access":"a session or a bot key: the permission iam.users.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  TenantMembers_Decline: {
    "text":"Declines the caller's own pending membership. Declining again changes nothing.","access":"a session: the caller was added to the tenant and has not accepted","answers":"record","tenant":"",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  TenantMembers_Disable: {
    "text":"Takes all rights in the tenant from a member until the member is enabled again. Grants and group memberships stay. Only an owner disables an owner, and the last owner cannot be disabled.","access":"a session or a bot key: the permission iam.users.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  TenantMembers_Enable: {
    "text":"Gives a disabled member its rights back. The caller must be able to grant what the member holds.","access":"a session or a bot key: the permission iam.users.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  TenantMembers_List: {
    "text":"The members of a tenant, and the users who were added and have not accepted yet (Status pending). Of these only the ID is known.","access":"a session or a bot key: the permission iam.users.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  TenantMembers_Remove: {
    "text":"Ends a membership with its grants and group memberships, or withdraws a pending one. A person can always leave, also a tenant that is suspended, that requires single sign-on, or in which the membership is disabled. The last owner stays.","access":"a session or a bot key: the permission iam.users.write in Tenant; or being the user of UserID","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  Tenants_Create: {
    "text":"Creates a tenant. Its owner is the caller or, on the platform, the user named in OwnerID.","access":"a session or a bot key: the permission iam.platform.tenants.write on the platform; or a person with a verified address creates tenants of their own, at most ten, where the platform has not switched that off","answers":"record","tenant":"",
    fields: [
      {"path":"Tenant.Slug","kind":"text","required":false,"text":"Unique on the platform; empty on create = made from the name."},
      {"path":"Tenant.Name","kind":"text","required":true,"text":""},
      {"path":"Tenant.Settings.SessionIdleMinutes","kind":"number","required":false,"text":"A session that is used in the tenant ends after this long without a call: at most 10080, 0 = the platform's 7 days."},
      {"path":"Tenant.Settings.SessionMaxMinutes","kind":"number","required":false,"text":"A session that is used in the tenant ends after this long in any case: at most 43200, 0 = the platform's 30 days."},
      {"path":"Tenant.Settings.RequireSso","kind":"flag","required":false,"text":"Members sign in through the tenant's provider only."},
      {"path":"Tenant.Settings.InviteDomains","kind":"texts","required":false,"text":"Only addresses of these domains can be invited; empty = all."},
      {"path":"Tenant.Settings.MaxBotKeyDays","kind":"number","required":false,"text":"The longest life of a bot key: at most 365, 0 = 365."},
      {"path":"Tenant.Settings.AuditRetentionDays","kind":"number","required":false,"text":"How long audit entries are kept: 0 = 400 days."},
      {"path":"Tenant.Settings.DefaultRole","kind":"text","required":false,"text":"The role new members get, without anybody looking: never owner. Empty = member."},
      {"path":"Tenant.Settings.RecentLogin","kind":"flag","required":false,"text":"Members change keys, providers, domains and owners only within 15 minutes of signing in."},
      {"path":"Tenant.Metadata","kind":"map","required":false,"text":""},
      {"path":"OwnerID","kind":"text","required":false,"text":"The user who shall own it; with iam.platform.tenants.write only."},
    ],
  },
  Tenants_Delete: {
    "text":"Closes a tenant: everything in it is denied with the answer. After a grace, 30 days unless the platform has set another one, all that belongs to it is removed and its data keys are destroyed. Nothing changes where it is closed already.","access":"a session or a bot key: the permission iam.tenant.delete in Tenant; or the permission iam.platform.tenants.write on the platform","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Tenants_Get: {
    "text":"One tenant.","access":"a session or a bot key: the permission iam.tenant.read in Tenant; or the permission iam.platform.tenants.read on the platform","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Tenants_ListMine: {
    "text":"The active tenants that the caller belongs to or was added to, each with the caller's membership. Where that is pending or disabled, a tenant has no more than its names.","access":"a session, about the caller","answers":"page","tenant":"",
    fields: [
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Tenants_Restore: {
    "text":"Opens a deleted tenant again, as it was, while its grace lasts.","access":"a session or a bot key: the permission iam.platform.tenants.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Tenants_Resume: {
    "text":"Opens a suspended tenant again.","access":"a session or a bot key: the permission iam.platform.tenants.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Tenants_Suspend: {
    "text":"Denies everything in a tenant until it is resumed.","access":"a session or a bot key: the permission iam.platform.tenants.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
    ],
  },
  Tenants_Update: {
    "text":"Changes what is sent of a tenant.","access":"a session or a bot key: the permission iam.tenant.write in Tenant.ID; or the permission iam.platform.tenants.write on the platform","answers":"record","tenant":"Tenant.ID",
    fields: [
      {"path":"Tenant.ID","kind":"text","required":true,"text":""},
      {"path":"Tenant.Slug","kind":"text","required":false,"text":"Unique on the platform."},
      {"path":"Tenant.Name","kind":"text","required":false,"text":""},
      {"path":"Tenant.Settings.SessionIdleMinutes","kind":"number","required":false,"text":"A session that is used in the tenant ends after this long without a call: at most 10080, 0 = the platform's 7 days."},
      {"path":"Tenant.Settings.SessionMaxMinutes","kind":"number","required":false,"text":"A session that is used in the tenant ends after this long in any case: at most 43200, 0 = the platform's 30 days."},
      {"path":"Tenant.Settings.RequireSso","kind":"flag","required":false,"text":"Members sign in through the tenant's provider only."},
      {"path":"Tenant.Settings.InviteDomains","kind":"texts","required":false,"text":"Only addresses of these domains can be invited; empty = all."},
      {"path":"Tenant.Settings.MaxBotKeyDays","kind":"number","required":false,"text":"The longest life of a bot key: at most 365, 0 = 365."},
      {"path":"Tenant.Settings.AuditRetentionDays","kind":"number","required":false,"text":"How long audit entries are kept: 0 = 400 days."},
      {"path":"Tenant.Settings.DefaultRole","kind":"text","required":false,"text":"The role new members get, without anybody looking: never owner. Empty = member."},
      {"path":"Tenant.Settings.RecentLogin","kind":"flag","required":false,"text":"Members change keys, providers, domains and owners only within 15 minutes of signing in."},
      {"path":"Tenant.Metadata","kind":"map","required":false,"text":""},
      {"path":"IfUpdatedAt","kind":"time","required":false,"text":"Only where the stored tenant was last changed at this time."},
    ],
  },
  Tokens_Introspect: {
    "text":"Who holds a session token or bot key, if anybody does. With the permission in a tenant only, tokens of people and bots that do not belong to that tenant are inactive like unknown ones.","access":"a bot key: the permission iam.tokens.introspect in Tenant; or the permission iam.tokens.introspect on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"Token","kind":"secret","required":true,"text":""},
      {"path":"Tenant","kind":"text","required":false,"text":"The tenant it was presented for; empty = any, with the permission on the platform."},
      {"path":"IP","kind":"text","required":false,"text":"The address it was presented from. A bot key that is bound to addresses is active only where one of them is told."},
    ],
  },
  Users_ConfirmIdentity: {
    "text":"Confirms that an identity belongs to the user. An identity that was linked by the address alone opens sessions that hold rights in the provider's tenant only; a confirmed identity opens sessions for the whole account, at once also those that are open. The user confirms with a credential that is older than the link: with the account's password, or from a session that the password or an older identity opened. A password that was reset after the link does not count.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Provider","kind":"text","required":true,"text":""},
      {"path":"Password","kind":"secret","required":false,"text":"Required from a session that is limited itself. Empty = the caller's session stands for the credential that opened it."},
    ],
  },
  Users_Create: {
    "text":"Creates a person whose address the caller vouches for: it counts as verified, and nothing is mailed. Without a password the person signs in elsewhere, or resets it first.","access":"a session or a bot key: the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"User.Email","kind":"text","required":true,"text":""},
      {"path":"User.Name","kind":"text","required":false,"text":""},
      {"path":"User.GivenName","kind":"text","required":false,"text":""},
      {"path":"User.FamilyName","kind":"text","required":false,"text":""},
      {"path":"User.Picture","kind":"text","required":false,"text":""},
      {"path":"User.Locale","kind":"text","required":false,"text":""},
      {"path":"User.ExternalID","kind":"text","required":false,"text":"The person's id in another system."},
      {"path":"User.Metadata","kind":"map","required":false,"text":""},
      {"path":"Password","kind":"secret","required":false,"text":""},
    ],
  },
  Users_Delete: {
    "text":"Deletes a user with its sessions, tokens, memberships and grants. Refused while the user is the only owner of a tenant, which has to be deleted or given to somebody else first.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  Users_Disable: {
    "text":"Shuts a user out: every session ends with the answer, and nothing that was granted counts until it is enabled again.","access":"a session or a bot key: the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  Users_Enable: {
    "text":"Lets a disabled user in again, with all that was granted.","access":"a session or a bot key: the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  Users_Get: {
    "text":"One user. Who may read users only in tenants this one does not belong to gets not_found.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.users.read on the platform; or iam.users.read in a tenant where that user is a member; a holder elsewhere gets not_found, a holder of nothing 403","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
    ],
  },
  Users_GetByEmail: {
    "text":"The user with this address. Who may read users only in tenants this one does not belong to gets the same not_found as for an unknown address.","access":"a session or a bot key: being the user of Email; or the permission iam.platform.users.read on the platform; or iam.users.read in a tenant where that user is a member; a holder elsewhere gets not_found, a holder of nothing 403","answers":"record","tenant":"",
    fields: [
      {"path":"Email","kind":"text","required":true,"text":""},
    ],
  },
  Users_List: {
    "text":"All users of the platform, in order of ID.","access":"a session or a bot key: the permission iam.platform.users.read on the platform","answers":"page","tenant":"",
    fields: [
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Users_ListByTenant: {
    "text":"The users who are members of a tenant.","access":"a session or a bot key: the permission iam.users.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Users_ListIdentities: {
    "text":"The identities at tenants' providers by which a user signs in, one at most for each provider.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.users.read on the platform","answers":"page","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Users_RemoveIdentity: {
    "text":"Unlinks a user from a provider and ends the sessions that came from it. The next who signs in there with the user's address is linked instead: for somebody who has got another identity at the provider.","access":"a session or a bot key: being the user of UserID; or the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"UserID","kind":"text","required":true,"text":""},
      {"path":"Provider","kind":"text","required":true,"text":""},
    ],
  },
  Users_Update: {
    "text":"Changes what is sent of a user. The address and the password have operations of their own.","access":"a session or a bot key: being the user of User.ID; or the permission iam.platform.users.write on the platform","answers":"record","tenant":"",
    fields: [
      {"path":"User.ID","kind":"text","required":true,"text":""},
      {"path":"User.Name","kind":"text","required":false,"text":""},
      {"path":"User.GivenName","kind":"text","required":false,"text":""},
      {"path":"User.FamilyName","kind":"text","required":false,"text":""},
      {"path":"User.Picture","kind":"text","required":false,"text":""},
      {"path":"User.Locale","kind":"text","required":false,"text":""},
      {"path":"User.ExternalID","kind":"text","required":false,"text":"The person's id in another system; with iam.platform.users.write only."},
      {"path":"User.Metadata","kind":"map","required":false,"text":""},
      {"path":"User.Email","kind":"text","required":false,"text":"As it is stored. Another address is refused: Account_ChangeEmail changes it."},
    ],
  },
  Webhooks_CreateEndpoint: {
    "text":"Creates an endpoint. Its signing secret is in the answer and is never shown again.","access":"a session or a bot key: the permission iam.webhooks.write in Endpoint.Tenant","answers":"record","tenant":"Endpoint.Tenant",
    fields: [
      {"path":"Endpoint.Tenant","kind":"text","required":false,"text":"Absent on create = the bot's tenant or the user's only one. It never changes."},
      {"path":"Endpoint.Name","kind":"text","required":true,"text":""},
      {"path":"Endpoint.URL","kind":"text","required":true,"text":"The address that receives deliveries: https, at most 2,048 characters."},
      {"path":"Endpoint.Active","kind":"flag","required":false,"text":"Absent on update = as it was."},
      {"path":"Endpoint.EventTypes","kind":"texts","required":false,"text":"The event types to receive, \"user.*\" allowed as in \"every event of a user\"; empty = all."},
      {"path":"Endpoint.Description","kind":"text","required":false,"text":""},
      {"path":"Endpoint.RateLimit","kind":"number","required":false,"text":"Deliveries a second, 0 = no limit of its own."},
    ],
  },
  Webhooks_DeleteEndpoint: {
    "text":"Deletes an endpoint. Deliveries that wait for it are dropped.","access":"a session or a bot key: the permission iam.webhooks.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Webhooks_Explain: {
    "text":"Which of the tenant's endpoints an event of a type would go to, and why not to the others.","access":"a session or a bot key: the permission iam.webhooks.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Type","kind":"text","required":true,"text":""},
    ],
  },
  Webhooks_GetEndpoint: {
    "text":"One endpoint.","access":"a session or a bot key: the permission iam.webhooks.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Webhooks_GetMessage: {
    "text":"A message that was sent to an endpoint, with its body and its attempts, for as long as bodies are kept: 7 days where the installation says nothing else.","access":"a session or a bot key: the permission iam.webhooks.read in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":"The endpoint."},
      {"path":"MessageID","kind":"text","required":true,"text":"The message's identifier: ID of its attempts, and the header webhook-id."},
    ],
  },
  Webhooks_ListAttempts: {
    "text":"The attempts of the last 30 days to deliver to the tenant's endpoints, newest first, without their bodies.","access":"a session or a bot key: the permission iam.webhooks.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Endpoint","kind":"text","required":false,"text":""},
      {"path":"Outcome","kind":"text","required":false,"text":"What came of the attempt."},
      {"path":"EventType","kind":"text","required":false,"text":""},
      {"path":"Since","kind":"time","required":false,"text":"Attempts that began at this time or later."},
      {"path":"Until","kind":"time","required":false,"text":"Attempts that began before this time."},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Webhooks_ListEndpoints: {
    "text":"The endpoints of a tenant.","access":"a session or a bot key: the permission iam.webhooks.read in Tenant","answers":"page","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"Page.Limit","kind":"number","required":false,"text":"How many items: 0 = 50, more than 200 = 200."},
      {"path":"Page.Cursor","kind":"text","required":false,"text":"The NextCursor of the page before; empty = the first page."},
    ],
  },
  Webhooks_ListEventTypes: {
    "text":"The types of events that endpoints can ask for, with the schema of their bodies and an example of each.","access":"a session or a bot key: any caller with a credential: the list is the same for all","answers":"record","tenant":"",
    fields: [],
  },
  Webhooks_ReplayFailed: {
    "text":"Sends once more what could not be delivered to an endpoint, with all of its attempts before it.","access":"a session or a bot key: the permission iam.webhooks.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"Since","kind":"time","required":false,"text":"What happened at this time or later. Absent = all that is kept, 30 days."},
      {"path":"Until","kind":"time","required":false,"text":"What happened before this time. Absent = now."},
    ],
  },
  Webhooks_Resend: {
    "text":"Sends one message again to the endpoint that it was sent to, with the same identifier and body and all of its attempts before it. The endpoint must be active.","access":"a session or a bot key: the permission iam.webhooks.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":"The endpoint."},
      {"path":"MessageID","kind":"text","required":true,"text":"The message's identifier: ID of its attempts, and the header webhook-id."},
    ],
  },
  Webhooks_RotateSecret: {
    "text":"Gives an endpoint a new signing secret, which is in the answer and is never shown again. The one before signs too, beside it, until the grace is over.","access":"a session or a bot key: the permission iam.webhooks.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
      {"path":"GraceSeconds","kind":"number","required":false,"text":"Seconds for which the previous secret signs too: absent = 86400, a day; 0 = it ends at once; at most 604800, a week."},
    ],
  },
  Webhooks_SendTest: {
    "text":"Sends an endpoint.ping event to one endpoint, now and just once, also to one that is inactive: that is when a test is wanted. At most ten a minute for each endpoint.","access":"a session or a bot key: the permission iam.webhooks.write in Tenant","answers":"record","tenant":"Tenant",
    fields: [
      {"path":"Tenant","kind":"text","required":true,"text":""},
      {"path":"ID","kind":"text","required":true,"text":""},
    ],
  },
  Webhooks_UpdateEndpoint: {
    "text":"Replaces an endpoint's name, URL and other settings as sent. The signing secret stays.","access":"a session or a bot key: the permission iam.webhooks.write in Endpoint.Tenant; or without a Tenant in the request, iam.webhooks.write in the stored endpoint's tenant decides, and a caller without it gets not_found","answers":"record","tenant":"",
    fields: [
      {"path":"Endpoint.ID","kind":"text","required":false,"text":"Set by the service on create, required on update."},
      {"path":"Endpoint.Tenant","kind":"text","required":false,"text":"Absent on create = the bot's tenant or the user's only one. It never changes."},
      {"path":"Endpoint.Name","kind":"text","required":true,"text":""},
      {"path":"Endpoint.URL","kind":"text","required":true,"text":"The address that receives deliveries: https, at most 2,048 characters."},
      {"path":"Endpoint.Active","kind":"flag","required":false,"text":"Absent on update = as it was."},
      {"path":"Endpoint.EventTypes","kind":"texts","required":false,"text":"The event types to receive, \"user.*\" allowed as in \"every event of a user\"; empty = all."},
      {"path":"Endpoint.Description","kind":"text","required":false,"text":""},
      {"path":"Endpoint.RateLimit","kind":"number","required":false,"text":"Deliveries a second, 0 = no limit of its own."},
    ],
  },
};
