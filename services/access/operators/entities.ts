import { defineEntity, p } from '@mikro-orm/core';

/** A link that makes the first operator. Its token itself is stored nowhere. */
export const OperatorLinkEntity = defineEntity({
  name: 'OperatorLink',
  tableName: 'operator_link',
  properties: {
    tokenHash: p.blob().primary(),
    expiresAt: p.datetime(3),
  },
});
