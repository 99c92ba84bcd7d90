import type { DescMessage } from '@bufbuild/protobuf';

// Two messages stand for a plain JSON array and object whose presence counts (values.proto).

export const isValueList = (message: DescMessage) => message.typeName === 'bailiwick.common.v1.StringList';
export const isValueMap = (message: DescMessage) => message.typeName === 'bailiwick.common.v1.StringMap';
export const isTimestamp = (message: DescMessage) => message.typeName === 'google.protobuf.Timestamp';
