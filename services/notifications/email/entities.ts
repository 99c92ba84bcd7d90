import { defineEntity, p } from '@mikro-orm/core';

/** An address that a mail server permanently rejected. No mail is sent to it for a while. */
export const MailSuppressionEntity = defineEntity({
  name: 'MailSuppression',
  tableName: 'mail_suppression',
  properties: {
    /** A keyed hash of the address: a reader of the table can neither read nor test an address. */
    hash: p.blob().primary(),
    /** The mail server's status code, such as 550. */
    code: p.integer(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: 'mail_suppression_expires_at', properties: ['expiresAt'] }],
});
