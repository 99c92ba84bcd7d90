import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Json } from './types.ts';

// What the examples say where a field's own rules and comment do not. They all tell of the same few records:
// Ada Lovelace of Acme, the group eng/backend, the bot deployer.

/** When everything in the examples happens. */
export const moment = '2026-01-31T12:00:00.000Z';

// Base32 digits as JavaScript writes them, in Crockford's alphabet.
const crockford = '0123456789abcdefghjkmnpqrstvwxyz';

/** The identifier of the examples' one record of a kind: a TypeID of that moment. */
export function exampleId(prefix: string): string {
  const bytes = createHash('sha256').update(prefix).digest().subarray(0, 16);
  bytes.writeUIntBE(Date.parse(moment), 0, 6);
  // A UUID's version 7 and its variant.
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const digits = BigInt(`0x${bytes.toString('hex')}`)
    .toString(32)
    .padStart(26, '0');
  return `${prefix}_${digits.replace(/[a-v]/g, (digit) => crockford.charAt(parseInt(digit, 32)))}`;
}

/** The shape of a token or key, and nothing that could be mistaken for a real one. */
const exampleToken = (kind: string): string => `bwk${kind}_${'Example'.repeat(7)}`;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const invited = exampleToken('i');
const guest = 'grace@example.com';

/**
 * Values by `<Message>.<key>`, and by `<key>` alone for every message without one of its own.
 * undefined = left out of the example.
 */
export const words: Readonly<Record<string, Json | undefined>> = {
  // People
  Email: 'ada@example.com',
  Password: 'correct horse battery',
  'AccountChangePasswordRequest.Current': 'correct horse battery',
  'AccountChangePasswordRequest.Password': 'staple the next horse',
  'AccountChangeEmailRequest.Email': 'ada.lovelace@example.com',
  GivenName: 'Ada',
  FamilyName: 'Lovelace',
  'AccountProfile.Name': 'Ada Lovelace',
  'User.Name': 'Ada Lovelace',
  'UserDraft.Name': 'Ada Lovelace',
  'User.ID': exampleId('usr'),
  'User.Status': 'active',
  'User.ExternalID': 'hr-1815',
  'UserDraft.ExternalID': 'hr-1815',
  EmailVerified: true,
  HasPassword: true,
  Picture: 'https://example.com/ada.png',
  Locale: 'en',
  UserID: exampleId('usr'),
  'UserIdPage.Items': [exampleId('usr')],

  // Tokens and sessions
  'AccountVerifyRequest.Token': exampleToken('v'),
  'AccountResetPasswordRequest.Token': exampleToken('r'),
  'AccountExchangeCodeRequest.Code': exampleToken('c'),
  'AccountTasksSendEmailVerificationRequest.Token': exampleToken('v'),
  'AccountTasksSendPasswordResetRequest.Token': exampleToken('r'),
  'TenantInvitationsTasksSendTenantInvitationRequest.Token': invited,
  'TenantInvitationsCreateResponse.Token': invited,
  'TenantInvitationsAcceptRequest.Token': invited,
  'TenantInvitationsDeclineRequest.Token': invited,
  Token: exampleToken('s'),
  'Session.ID': exampleId('ses'),
  'Session.Provider': '',
  'Session.ExpiresAt': '2026-03-02T12:00:00.000Z',
  'Session.Current': true,
  IP: '203.0.113.7',
  UserAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:147.0) Gecko/20100101 Firefox/147.0',
  'TokensIntrospectResponse.Active': true,
  'TokensIntrospectResponse.ID': exampleId('ses'),
  'TokensIntrospectResponse.Bot': '',
  'TokensIntrospectResponse.Tenant': '',
  'TokensIntrospectResponse.Permissions': [],

  // Tenants, members, invitations
  Subject: exampleId('usr'),
  'AccessPlanRequest.Changes': [{ Grants_Add: { Grant: { Tenant: exampleId('tnt'), UserID: exampleId('usr'), Role: 'editor' } } }],
  'AccessPath.Grant': exampleId('grt'),
  'AccessPath.Permission': 'app.reports.*',
  'AccessPath.Group': 'eng/backend',
  'AccessPath.InheritedFrom': 'eng',
  'AccessPath.Role': 'editor',
  'AccessExplainResponse.Missing': ['no role that is granted gives app.reports.read'],
  'AccessPlanResponse.Warnings': ['Changes[0].Grants_Add would be refused: role not found'],
  'AccessListPermissionsResponse.Permissions': ['app.reports.*', 'iam.groups.read'],
  Tenant: exampleId('tnt'),
  'Tenant.ID': exampleId('tnt'),
  'Tenant.Name': 'Acme',
  'Tenant.Slug': 'acme',
  'Tenant.Status': 'active',
  'AccountTenant.ID': exampleId('tnt'),
  'AccountTenant.Name': 'Acme',
  'AccountTenant.Slug': 'acme',
  SessionIdleMinutes: 480,
  SessionMaxMinutes: 10080,
  InviteDomains: ['example.com'],
  MaxBotKeyDays: 90,
  AuditRetentionDays: 400,
  DefaultRole: 'member',
  'TenantsCreateRequest.OwnerID': undefined,
  'TenantMember.Source': 'invitation',
  'TenantInvitation.ID': exampleId('inv'),
  'TenantInvitation.Email': guest,
  'TenantInvitationsCreateRequest.Email': guest,
  'TenantInvitationsDeleteRequest.Email': guest,
  'TenantInvitationsListByEmailRequest.Email': guest,
  'TenantInvitationsTasksSendTenantInvitationRequest.Email': guest,
  'TenantInvitation.ExpiresAt': '2026-02-07T12:00:00.000Z',
  Roles: ['editor'],
  Groups: ['eng/backend'],
  InvitedBy: exampleId('usr'),
  AcceptedBy: '',

  // Groups, roles, grants
  'Group.ID': exampleId('grp'),
  'Group.Name': 'Backend',
  'Group.ExternalID': 'cn=backend,ou=eng',
  'Group.Source': '',
  Group: 'eng/backend',
  Effective: false,
  'Role.ID': exampleId('rol'),
  'Role.Name': 'Editor',
  Slug: 'editor',
  Role: 'editor',
  Permissions: ['app.reports.read', 'app.reports.write'],
  'Grant.ID': exampleId('grt'),
  'GroupGrant.ID': exampleId('ggr'),
  'BotGrant.ID': exampleId('bgr'),
  Resource: '',

  // Bots and their keys
  Bot: exampleId('bot'),
  'Bot.Name': 'deployer',
  'BotKey.ID': exampleId('bky'),
  'BotKey.Name': 'ci',
  'BotKeysCreateRequest.Name': 'ci',
  Secret: exampleToken('b'),
  Prefix: exampleToken('b').slice(0, 8),
  Last4: exampleToken('b').slice(-4),
  AllowedIPs: ['192.0.2.0/24'],
  RevokedAt: undefined,
  'BotKeysCreateResponse.Key.LastUsedAt': undefined,
  'BotKeysRotateResponse.Key.LastUsedAt': undefined,
  'BotKeysRotateResponse.Key.RotatedFrom': exampleId('bky'),
  'BotsSaveResponse.Bot.LastUsedAt': undefined,
  RotatedFrom: '',

  // Domains
  'DomainRecord.ID': exampleId('dom'),
  'DomainRecord.Name': 'example.com',
  'DomainRecord.Status': 'verified',
  'DomainCreateResponse.Domain.Status': 'pending',
  'DomainCreateResponse.Domain.VerifiedAt': undefined,
  'DomainCreateResponse.Domain.LastCheckedAt': undefined,
  TxtName: '_bailiwick-challenge.example.com',
  TxtValue: 'bailiwick-verify=Example',
  Capture: 'join',
  FailureReason: '',
  ChallengeExpiresAt: '2026-02-07T12:00:00.000Z',
  Redirect: `https://iam.example.com/auth/${exampleId('tnt')}/${exampleId('sso')}/login`,

  // Endpoints and deliveries
  'WebhookEndpoint.Name': 'ERP',
  'ChatEndpoint.Name': 'Operations',
  'WebhookEndpoint.URL': 'https://erp.example.com/hooks/bailiwick',
  URL: 'https://chat.example.com/hooks/Example',
  EventTypes: ['group.created', 'user.*'],
  RateLimit: 10,
  Active: true,
  'ChatEndpoint.Kind': 'generic',
  DekID: exampleId('dek'),
  SecretEnc: '',
  URLEnc: '',
  DisabledReason: '',
  DisabledAt: undefined,
  'WebhooksCreateEndpointResponse.Secret': `whsec_${base64('Example'.repeat(5).slice(0, 32))}`,
  'WebhooksDeliverRequest.Body': base64(`{"id":"${exampleId('evt')}","type":"group.created"}`),
  'ChatDeliverRequest.Body': base64('{"text":"Ada Lovelace created eng/backend"}'),
  'TaskResult.ID': exampleId('evt'),
  'TaskResult.Attempt': 1,
  'TaskResult.StatusCode': 200,
  DurationMs: 84,
  'DeliveryAttempt.ID': exampleId('evt'),
  'DeliveryAttempt.Endpoint': exampleId('whk'),
  'ChatListAttemptsResponse.Page.Items.Endpoint': exampleId('slk'),
  'DeliveryAttempt.Event': exampleId('evt'),
  EventType: 'group.created',
  'DeliveryAttempt.Attempt': 1,
  'DeliveryAttempt.StatusCode': 200,
  'DeliveryAttempt.Error': '',
  'DeliveryAttempt.Message': '',
  Outcome: '',
  'WebhooksListAttemptsRequest.Endpoint': exampleId('whk'),
  'WebhookEndpoint.PreviousSecretUntil': undefined,
  GraceSeconds: 86_400,
  'WebhooksRotateSecretResponse.Secret': `whsec_${base64('Example'.repeat(5).slice(0, 32))}`,
  'EndpointVerdict.Endpoint': exampleId('whk'),
  'EndpointVerdict.Name': 'ERP',
  'EndpointVerdict.Receives': false,
  'EndpointVerdict.Reason': 'not_asked_for',
  'EndpointVerdict.Message': 'The endpoint does not ask for events of this type.',
  'EventType.Description': 'A group was created.',
  'EventType.Schema': '{"type":"object"}',
  'EventType.Example': `{"id":"${exampleId('evt')}","type":"group.created"}`,
  'EventsPublishRequest.Type': 'report.finished',
  'EventsPublishRequest.Body': base64('{"Report":"2026-01","Pages":12}'),
  'EventsPublishRequest.ID': 'report-2026-01',
  'EventsPublishResponse.ID': exampleId('evt'),
  'TaskResult.Error': '',
  'TaskResult.Message': 'The receiver answered 200.',
  NextAttemptAt: undefined,
  'MailSuppression.StatusCode': 550,
  'MailSuppression.ExpiresAt': '2026-03-02T12:00:00.000Z',

  // Keys
  'KeyEncryptionKey.ID': 'key-2026',
  'KeyEncryptionKey.Current': true,
  'KeyEncryptionKey.Available': true,
  'KeyEncryptionKey.DataKeys': 12,
  'DataKey.ID': exampleId('dek'),
  'DataKey.Kek': 'key-2026',
  'DataKey.SupersededAt': undefined,
  'DataKey.UnusedSince': undefined,
  'DataKey.Records': 3,
  'KeysRotateResponse.Queued': 0,

  // The audit
  'AuditEntry.ID': exampleId('aud'),
  Seq: 42,
  Operation: 'Groups_Save',
  Actions: ['group.created'],
  Action: 'group.created',
  'AuditEntry.Code': '',
  ActorID: exampleId('usr'),
  ActorIDs: [exampleId('usr')],
  CredentialID: exampleId('ses'),
  'AuditTarget.Type': 'group',
  'AuditTarget.ID': exampleId('grp'),
  'AuditTarget.Name': 'eng/backend',
  TargetIDs: [exampleId('grp')],
  Permission: 'iam.groups.write',
  GrantID: exampleId('grt'),
  RequestID: '7d3f2a80-5c1e-4b9a-9f6d-2e8c4a1b0d57',
  TraceID: '4bf92f3577b34da6a3ce929d0e0e4736',
  'AuditChange.Field': 'Name',
  'AuditChange.Old': '',
  'AuditChange.New': 'Backend',
  PrevHash: createHash('sha256').update('before').digest('hex'),
  Hash: createHash('sha256').update('this').digest('hex'),
  From: '2026-01-01T00:00:00.000Z',
  To: '2026-02-01T00:00:00.000Z',

  // Lists and what many records have
  Limit: 50,
  Cursor: '',
  NextCursor: '',
  Description: 'Looked after by the platform team.',
  Metadata: { team: 'platform' },
  CreatedBy: exampleId('usr'),
  ExpiresAt: '2026-05-01T12:00:00.000Z',
  // A precondition, which few calls want.
  IfUpdatedAt: undefined,
};
