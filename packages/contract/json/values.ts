import type { DescField, DescMessage } from '@bufbuild/protobuf';

// Some messages represent a plain JSON array or object that can be absent (values.proto).

const valueLists: ReadonlySet<string> = new Set([
  'bailiwick.common.v1.StringList',
  'bailiwick.sso.v1.Certificates',
  'bailiwick.sso.v1.GroupMappings',
]);

/** The field with the items of a message that is a plain array in JSON. Undefined for other messages. */
export const listField = (message: DescMessage): DescField | undefined =>
  valueLists.has(message.typeName) ? message.fields[0] : undefined;
export const isValueMap = (message: DescMessage) =>
  message.typeName === 'bailiwick.common.v1.StringMap';
export const isTimestamp = (message: DescMessage) =>
  message.typeName === 'google.protobuf.Timestamp';

/** The format of a time in JSON. It does not check the calendar. The command-line tool is generated with it. */
export const rfc3339 = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;
