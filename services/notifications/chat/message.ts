/** What happened, in words and still unescaped: what every chat service is shown. */
export type ChatMessage = {
  title: string;
  /** Label and value, a line each. */
  facts: ReadonlyArray<readonly [string, string]>;
  /** The event itself, for whoever wants to look it up. */
  footer: string;
};

/** Fields that name a record, in the order in which people would. */
const names = ['Name', 'Email', 'Path', 'Slug'];
/** What else a record is about, and what people call it. */
const related: ReadonlyArray<readonly [string, string]> = [
  ['Role', 'Role'],
  ['Group', 'Group'],
  ['UserID', 'User'],
  ['Bot', 'Bot'],
];

/** The message for an event's body. It says nothing that is not in the event. */
export function messageOf(event: string): ChatMessage {
  const { id, type, timestamp, tenant, actor, data, previous } = objectOf(JSON.parse(event));
  const record = objectOf(data);
  const { type: actorType, id: actorId } = objectOf(actor);
  const [family = ''] = textOf(type).split('.');
  const facts = [
    [wordsOf(family), named(record)],
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

function named(record: Record<string, unknown>): string {
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

/** On one line, no longer than a name has to be, and without what would turn the direction of the text around. */
function clipped(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
  const characters = Array.from(line.trim());
  return characters.length > longest
    ? `${characters.slice(0, longest - 1).join('')}…`
    : characters.join('');
}
