import { type DescMessage, getOption } from '@bufbuild/protobuf';
import {
  type FieldRules,
  field as fieldRules,
  message as messageRules,
  type Rule,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';

import { namePattern, permissionPattern, slugPattern } from './patterns.ts';
import { keywords } from './rules.ts';
import type { JsonObject } from './types.ts';

// The CEL rules of the proto files as JSON Schema, by rule id.

const subject: JsonObject = { pattern: '^((usr|bot)_[0-7][0-9a-hjkmnp-tv-z]{25})?$' };
const notOwner: JsonObject = { not: { enum: ['owner'] } };
const list = (maxItems: number, items: JsonObject): JsonObject => ({
  maxItems,
  items: { type: 'string', ...items },
});

const eventTypes = list(100, { maxLength: 64, pattern: '^[a-z0-9_]+([.][a-z0-9_]+)*([.][*])?$' });
const claim: JsonObject = { type: 'string', minLength: 1, maxLength: 256 };
const claims = [
  'Subject',
  'Email',
  'EmailVerified',
  'Name',
  'GivenName',
  'FamilyName',
  'Picture',
  'Locale',
  'Groups',
];
const ownFamilies =
  'access|audit|bot|bot_grant|bot_key|bot_trust|chat_endpoint|domain|endpoint|grant|group|group_grant|invitation|key|mail_suppression|oauth_app|role|session|sso|sso_provider|tenant|user|webhook_endpoint';

const ofFields: Readonly<Record<string, JsonObject>> = {
  'access.subject': subject,
  'app.resources': list(20, {
    maxLength: 512,
    pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[!$-\\[\\]-~]+$',
  }),
  'app.scopes': list(100, {
    maxLength: 128,
    pattern: `^(openid|profile|email|offline_access|groups|${permissionPattern})$`,
    not: { pattern: '^iam[.]internal[.]' },
  }),
  'app.uris': list(50, { maxLength: 2048, pattern: '^[!$-)+-\\[\\]-~]+$' }),
  // Checks only the characters. The CEL rule also checks the prefix length of a network.
  'bot_key.allowed_ip': { pattern: '^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$' },
  'bot_trust.audience': { maxLength: 512, pattern: '^[!-~]+$' },
  // OpenAPI 3.0 has no rule for names: the CEL rule also refuses some claims.
  'bot_trust.claims': {
    maxProperties: 10,
    additionalProperties: { type: 'string', maxLength: 256, pattern: '^[ -)+-~]+[*]?$' },
  },
  'bot_trust.issuer': { not: { pattern: '[?#]' } },
  'bot_trust.subject': { maxLength: 512, pattern: '^[ -)+-~]+[*]?$' },
  'domain.default_role': notOwner,
  'documented.endpoint_name': { pattern: namePattern },
  'endpoint.event_types': eventTypes,
  'events.id': { pattern: '^[A-Za-z0-9_-]{0,64}$' },
  'events.own_family': { not: { pattern: `^(${ownFamilies})([.]|$)` } },
  'group_mapping.value': { not: { pattern: '[\\u0000-\\u001f\\u007f]' } },
  // OpenAPI 3.0 has no rule for names: the CEL rule also checks their lengths.
  'provider.assurance_map': {
    maxProperties: 50,
    additionalProperties: { enum: ['aal1', 'aal2', 'phishing_resistant'] },
  },
  'provider.attribute_map': {
    properties: Object.fromEntries(claims.map((name) => [name, claim])),
    additionalProperties: false,
  },
  'provider.default_roles': list(20, { pattern: `^${slugPattern}$` }),
  'provider.scopes': list(20, { pattern: '^[!#-\\[\\]-~]{1,128}$' }),
  'role.permissions.format': list(200, { maxLength: 128, pattern: `^${permissionPattern}$` }),
  'tenant.allowed_methods': {
    enum: [[], ['account'], ['account', 'social'], ['social', 'account']],
  },
  'tenant.default_role': notOwner,
  'tenant.scim_group_parent': { maxLength: 190, not: { pattern: '^/?([^/]+/){7}' } },
  'tenant.invite_domains': list(50, { minLength: 1, maxLength: 253 }),
};

/** A key with a value. null and "" mean absent. */
const present = (name: string): JsonObject => ({
  required: [name],
  properties: { [name]: { type: 'string', minLength: 1 } },
});

/** The ID of a stored record. Its schema has no rules of its own, because some operations set the ID themselves. */
function storedId(record: DescMessage | undefined): JsonObject {
  const field = record?.fields.find(({ jsonName }) => jsonName === 'ID');
  if (!field) throw new Error('the record has no ID');
  return { type: 'string', ...keywords(getOption(field, fieldRules), true) };
}

/** A field that a new record needs. */
const neededByNew =
  (record: string, name: string): (() => JsonObject) =>
  () => ({ properties: { [record]: { anyOf: [present('ID'), present(name)] } } });

/** The same, and an update may leave it out but not clear it. */
const neverEmpty =
  (record: string, name: string): (() => JsonObject) =>
  () => ({
    properties: {
      [record]: { anyOf: [present('ID'), present(name)], properties: { [name]: { minLength: 1 } } },
    },
  });

const ofMessages: Readonly<Record<string, (message: DescMessage) => JsonObject>> = {
  'documented.access.check': () => ({
    anyOf: [
      present('Permission'),
      { required: ['Checks'], properties: { Checks: { type: 'array', minItems: 1, items: {} } } },
    ],
  }),
  'access.plan.change': ({ fields }) => ({
    oneOf: fields.map(({ jsonName }) => ({
      required: [jsonName],
      properties: { [jsonName]: { type: 'object' } },
    })),
  }),
  'documented.endpoint_id': ({ fields: [endpoint] }) => ({
    properties: { Endpoint: { required: ['ID'], properties: { ID: storedId(endpoint?.message) } } },
  }),
  'app.kind': neededByNew('App', 'Kind'),
  'app.name': neverEmpty('App', 'Name'),
  'bot.name': neverEmpty('Bot', 'Name'),
  'bot_trust.bot': neededByNew('Trust', 'Bot'),
  'bot_trust.issuer.required': neverEmpty('Trust', 'Issuer'),
  'bot_trust.audience.required': neverEmpty('Trust', 'Audience'),
  'bot_trust.subject.required': neverEmpty('Trust', 'Subject'),
  'group_mapping.meaning': () => ({ anyOf: [present('Group'), present('Role')] }),
  'keys.withdrawal': () => ({
    not: {
      allOf: [
        present('Tenant'),
        {
          required: ['WithdrawSigningKeys'],
          properties: { WithdrawSigningKeys: { enum: [true] } },
        },
      ],
    },
  }),
  'login.answer': () => ({ oneOf: [present('Totp'), present('RecoveryCode'), present('Passkey')] }),
  'step_up.answer': () => ({
    oneOf: [present('Totp'), present('RecoveryCode'), present('Passkey')],
  }),
  'provider.kind': neededByNew('Provider', 'Kind'),
  'provider.name': neverEmpty('Provider', 'Name'),
  'provider.secrets': () => ({ not: { allOf: [present('Secret'), present('PrivateKey')] } }),
  'provider.metadata': () => ({ not: { allOf: [present('MetadataXML'), present('MetadataURL')] } }),
};

/** Rules that JSON Schema cannot express: they compare with the time or another field, count bytes, or repeat another rule. */
const notExpressible = [
  'bot_key.expires_at.future',
  'bot_key.expires_at.limit',
  'documented.endpoint_url',
  'replay.since',
  'role.permissions.platform',
  'role.permissions.size',
  'string_map.size',
];

/** The JSON Schema keywords for a field's CEL rules. */
export function fieldKeywords({ cel }: FieldRules): JsonObject {
  return merged(cel, (id) => ofFields[id]);
}

/** The JSON Schema keywords for the CEL rules of a message. */
export function messageKeywords(message: DescMessage): JsonObject {
  return merged(getOption(message, messageRules).cel, (id) => ofMessages[id]?.(message));
}

function merged(
  rules: readonly Rule[],
  keywordsOf: (id: string) => JsonObject | undefined,
): JsonObject {
  const schemas = rules
    .filter(({ id }) => !notExpressible.includes(id))
    .map(({ id }) => keywordsOf(id) ?? failUnknown(id));
  const names = schemas.flatMap((keywords) => Object.keys(keywords));
  // Two rules may need the same keyword, of which a schema has one.
  return new Set(names).size === names.length
    ? (Object.assign({}, ...schemas) as JsonObject)
    : { allOf: schemas };
}

function failUnknown(id: string): never {
  throw new Error(
    `packages/contract/openapi/cel.ts does not know the rule ${id}: add it as JSON Schema, or to notExpressible`,
  );
}
