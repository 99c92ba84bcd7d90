import type { DescField, DescMessage } from '@bufbuild/protobuf';

// Texts that people see. Requests with control characters or marks that change the direction of
// text are refused by the rules one_line and plain_text. Values that were stored before these rules,
// or that come from directories and providers, are shown without them.

/** One line without control characters and without marks that change the direction of text. */
export const oneLine = (text: string): string =>
  withoutMarks(text).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');

/** The text without marks that change the direction of the text around it. Lines stay. */
const withoutMarks = (text: string): string => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');

/** A text of several lines that is safe to show. */
const plainText = (text: string): string =>
  withoutMarks(text)
    .replace(/[\u2028\u2029]/g, '\n')
    .replace(/(?![\t\n\r])\p{Cc}/gu, '');

type Cleaner = (text: string) => string;

const cleaners: Readonly<Record<string, Cleaner>> = {
  Name: oneLine,
  GivenName: oneLine,
  FamilyName: oneLine,
  TenantName: oneLine,
  InviterName: oneLine,
  Description: plainText,
  Reason: plainText,
};

/** The hash of an audit entry covers its target as it is. */
const exact = 'bailiwick.access.v1.AuditTarget';

const cache = new WeakMap<DescMessage, ReadonlyMap<DescField, Cleaner>>();

/** How the texts of a message that people see are made safe, by their fields. */
export function cleanersOf(schema: DescMessage): ReadonlyMap<DescField, Cleaner> {
  let byField = cache.get(schema);
  if (!byField) {
    const texts = schema.typeName === exact ? [] : schema.fields;
    byField = new Map(
      texts.flatMap((field) => {
        const clean = field.fieldKind === 'scalar' ? cleaners[field.jsonName] : undefined;
        return clean ? [[field, clean] as const] : [];
      }),
    );
    cache.set(schema, byField);
  }
  return byField;
}
