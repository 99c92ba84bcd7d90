// The problems of an invalid request: a message for people, and for programs the field, the rule
// and the values of the message. The list of rules is closed, like the one of the reasons: docs/api.md
// lists them from here, and the golden file keeps their names.

import { fieldAtStart } from './paths.ts';

/** The rules that a request can fail, and what each means. Capitalised words are names of params. */
export const rules = {
  breached: 'The password is known from a data breach.',
  characters: 'The text has characters that are not allowed, such as control characters.',
  color: 'The value is not a colour such as `#1c4fc2`.',
  common: 'The password is one of the most common passwords.',
  cursor: 'The value is not a cursor of this list.',
  custom: 'Another rule. Only the message says which.',
  domain: 'The value is not a domain name.',
  email: 'The value is not a mail address.',
  empty: 'The field must be empty beside the field `With`.',
  event_type: 'The value is not an event type.',
  future: 'The time is not in the future.',
  guessable: 'The password is made of the mail address or the name of the product.',
  id: 'The value is not an identifier that begins with `Prefix`.',
  key: 'The key of a map is not allowed.',
  locale: 'The value is not a language tag.',
  max: 'The number is larger than `Max`.',
  max_bytes: 'The value is longer than `Max` bytes.',
  max_days: 'The time is more than `Max` days ahead.',
  max_items: 'The list has more than `Max` items.',
  max_keys: 'The map has more than `Max` keys.',
  max_len: 'The text is longer than `Max` characters.',
  min: 'The number is smaller than `Min`.',
  min_len: 'The text is shorter than `Min` characters; without `Min` it is empty.',
  more: 'There are `Count` more problems of the kind that the message names.',
  one_of: 'The value is not one of `Values`, which a comma and a space separate.',
  path: 'The value is not the path of a group.',
  pattern: 'The text does not have the form that the message describes.',
  permission: 'The value is not a permission.',
  range: 'The number is smaller than `Min` or larger than `Max`.',
  required: 'The field is missing or empty.',
  slug: 'The value is not a slug.',
  subject: 'The value is not the identifier of a user or a bot.',
  totp: 'The code of an authenticator app does not have six digits.',
  type: 'The JSON type is wrong: `Type` is expected.',
  unique: 'A list has the item or the value twice.',
  unknown_key: 'The object has no such field. `Meant` is a field with a similar name.',
  url: 'The value is not a URL of the form that the message describes.',
} as const;

/** The rule that a value of a request fails. */
export type Rule = keyof typeof rules;
/** The values that a message contains, by name. */
export type Params = Readonly<Record<string, string>>;

/** A problem of a request. `field` is the JSON path; '' = the whole request. */
export type Problem = {
  readonly text: string;
  readonly field: string;
  readonly rule: Rule;
  readonly params: Params;
};

export const isRule = (text: string): text is Rule => Object.hasOwn(rules, text);

/** A problem whose message is the field and `words`. */
export const problem = (
  field: string,
  rule: Rule,
  words: string,
  params: Params = {},
): Problem => ({
  text: field === '' ? words : `${field} ${words}`,
  field,
  rule,
  params,
});

/** For a message without a field: `problem` joins the two. */
export const asProblem = (message: string | Problem): Problem =>
  typeof message === 'string'
    ? { text: message, field: fieldAtStart(message), rule: 'custom', params: {} }
    : message;

/** The problems without those whose message an earlier one has. */
export function distinct(messages: ReadonlyArray<string | Problem>): Problem[] {
  const byText = new Map<string, Problem>();
  for (const message of messages) {
    const one = asProblem(message);
    if (!byText.has(one.text)) byText.set(one.text, one);
  }
  return [...byText.values()];
}
