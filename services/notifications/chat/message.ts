/** The unescaped content of a message, the same for every chat service. */
export type ChatMessage = {
  title: string;
  /** Label and value, one line each. */
  facts: ReadonlyArray<readonly [string, string]>;
  /** The event's type, id and time, to look it up. */
  footer: string;
};

/** Fields that name a record, in order of preference. */
const names = ['Name', 'Email', 'Path', 'Slug'];
/** Related records, and their labels. */
const related: ReadonlyArray<readonly [string, string]> = [
  ['Role', 'Role'],
  ['Group', 'Group'],
  ['UserID', 'User'],
  ['Bot', 'Bot'],
];

/** The message for an event's body. It contains nothing that is not in the event. */
export function messageOf(event: string): ChatMessage {
  const { id, type, timestamp, tenant, actor, data, previous } = objectOf(JSON.parse(event));
  const record = objectOf(data);
  const { type: actorType, id: actorId } = objectOf(actor);
  const [family = ''] = textOf(type).split('.');
  const facts = [
    [wordsOf(family), nameOf(record)],
    ...related.map(([field, label]) => [label, textOf(record[field])] as const),
    ['Changed', Object.keys(objectOf(previous)).join(', ')],
    ['By', joined(' ', actorType, actorId)],
    ['Tenant', textOf(tenant)],
  ] as const;
  return {
    title: wordsOf(textOf(type)),
    facts: facts
      .map(([label, value]) => [label, clipped(value)] as const)
      .filter(([, value]) => value !== ''),
    footer: joined(' · ', type, id, timestamp),
  };
}

/** `group.member_added` as “Group member added”. */
function wordsOf(type: string): string {
  const words = type.replaceAll(/[._]/g, ' ').replace(/^sso\b/, 'SSO');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function nameOf(record: Record<string, unknown>): string {
  const id = textOf(record['ID']);
  const name = names.map((field) => clipped(textOf(record[field]))).find((text) => text !== '');
  if (name === undefined) return id;
  return id === '' ? name : `${name} (${id})`;
}

const joined = (separator: string, ...parts: unknown[]): string =>
  parts
    .map(textOf)
    .filter((part) => part !== '')
    .join(separator);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

const longest = 200;

/** One line of at most 200 characters, without marks that change the text direction. */
function clipped(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
  const characters = Array.from(line.trim());
  return characters.length > longest
    ? `${characters.slice(0, longest - 1).join('')}…`
    : characters.join('');
}
