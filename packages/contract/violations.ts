import type { Params, Rule } from '@bailiwick/errors';

// The violations of protovalidate: its texts, and our rules for its rule ids.

/** Replaces protovalidate's texts that do not form a sentence after the path. */
const rewordings: readonly (readonly [RegExp, string])[] = [
  [/^value is required$/, 'is required'],
  [/^must be at least 1 characters$/, 'must not be empty'],
  [
    /^must be greater than or equal to (\S+) and less than or equal to (\S+)$/,
    'must be between $1 and $2',
  ],
  [/^must be greater than or equal to (\S+)$/, 'must be at least $1'],
  [/^must be less than or equal to (\S+)$/, 'must be at most $1'],
  [/^must contain no more than (\d+) item\(s\)$/, 'must have at most $1 items'],
  [/^must contain at least 1 item\(s\)$/, 'is required'],
  [
    /^must be at most (\d+) entries$|^map must be at most (\d+) entries$/,
    'must have at most $1$2 keys',
  ],
  [/^must be in list \[(.*)\]$/, 'must be one of $1'],
];

export function reword(message: string): string {
  for (const [pattern, replacement] of rewordings) {
    if (pattern.test(message)) return message.replace(pattern, replacement);
  }
  return message;
}

/** `pattern` finds the params in the text. `field`: the one of a message rule whose text names none. */
type Meaning = { rule: Rule; pattern?: RegExp; field?: string };

const max = /at most (?<Max>-?\d+)/;
const required: Meaning = { rule: 'required' };

/** Our rules by protovalidate's ids and by the ids in the proto files. */
const meanings: Readonly<Record<string, Meaning>> = {
  required,
  'string.min_len': { rule: 'min_len', pattern: /at least (?<Min>\d+)/ },
  'string.max_len': { rule: 'max_len', pattern: max },
  'string.in': { rule: 'one_of', pattern: /must be one of (?<Values>.*)$/ },
  'string.pattern': { rule: 'pattern' },
  'bytes.max_len': { rule: 'max_bytes', pattern: max },
  'int32.gte': { rule: 'min', pattern: /at least (?<Min>-?\d+)/ },
  'int32.lte': { rule: 'max', pattern: max },
  'int32.gte_lte': { rule: 'range', pattern: /between (?<Min>-?\d+) and (?<Max>-?\d+)$/ },
  'repeated.min_items': required,
  'repeated.max_items': { rule: 'max_items', pattern: max },
  'repeated.unique': { rule: 'unique' },
  'map.max_pairs': { rule: 'max_keys', pattern: max },
  'string.id': { rule: 'id', pattern: /begins with (?<Prefix>\S+)$/ },
  'string.path': { rule: 'path' },
  'string.slug': { rule: 'slug' },
  'string.permission': { rule: 'permission' },
  'string.address': { rule: 'email' },
  'string.event_type': { rule: 'event_type' },
  'string.name': required,
  'string.one_line': { rule: 'characters' },
  'string.plain_text': { rule: 'characters' },
  'string.locale': { rule: 'locale' },
  'string.totp': { rule: 'totp' },
  'string.https_url': { rule: 'url' },
  'string.web_url': { rule: 'url' },
  'string.color': { rule: 'color' },
  'string.domain': { rule: 'domain' },
  'string_map.size': { rule: 'max_bytes', pattern: max },
  'access.subject': { rule: 'subject' },
  'bot_key.expires_at.future': { rule: 'future' },
  'bot_key.expires_at.limit': { rule: 'max_days', pattern: max },
  'group_mapping.value': { rule: 'characters' },
  'role.permissions.size': { rule: 'max_items', pattern: max },
  'role.permissions.format': { rule: 'permission' },
  'bot_trust.bot': required,
  'bot_trust.issuer.required': required,
  'bot_trust.audience.required': required,
  'bot_trust.subject.required': required,
  'bot.name': required,
  'app.kind': required,
  'app.name': required,
  'provider.kind': required,
  'provider.name': required,
  'login.answer': required,
  'step_up.answer': required,
  'documented.access.check': required,
  'documented.endpoint_id': { rule: 'required', field: 'Endpoint.ID' },
  'documented.endpoint_name': required,
  'documented.endpoint_url': required,
};

const custom: Meaning = { rule: 'custom' };

export const ruleOf = (id: string): Meaning => meanings[id] ?? custom;

export const paramsIn = (text: string, pattern?: RegExp): Params => ({
  ...pattern?.exec(text)?.groups,
});
