import { defineEntity, p } from '@mikro-orm/core';

/** An address that a mail server has refused for good: nothing is mailed to it for a while. */
export const MailSuppressionEntity = defineEntity({
  name: 'MailSuppression',
  tableName: 'mail_suppression',
  properties: {
    /** Of the address, keyed: whoever reads the table learns no address from it, and cannot try out one. */
    hash: p.blob().primary(),
    /** The mail server's answer, such as 550. */
    code: p.integer(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: 'mail_suppression_expires_at', properties: ['expiresAt'] }],
});
