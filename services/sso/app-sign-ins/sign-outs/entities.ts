import { defineEntity, p } from '@mikro-orm/core';

/**
 * The end of a session's sign-in to an app, for the receipts of locks. Its id is that of the task
 * that tells the app.
 */
export const AppSignOutEntity = defineEntity({
  name: 'AppSignOut',
  tableName: 'app_sign_out',
  properties: {
    id: p.string().primary().columnType('text'),
    /** The tenant of the app; '' = the platform. */
    tenant: p.text(),
    app: p.text(),
    name: p.text(),
    userId: p.text(),
    sessionId: p.text(),
    /** The longest lifetime that an access token of the app could have. */
    tokenSeconds: p.integer(),
    /** waiting, retry, accepted, failed or not_notified. */
    state: p.text(),
    /** The last answer of the app; 0 = none. */
    statusCode: p.integer(),
    message: p.text(),
    endedAt: p.datetime(3),
    reportedAt: p.datetime(3).nullable(),
    /** Whether a receipt has it: then it outlives the tokens of the sign-in. */
    inReceipt: p.boolean(),
  },
  indexes: [
    { name: 'app_sign_out_user', properties: ['userId', 'endedAt'] },
    { name: 'app_sign_out_ended_at', properties: ['endedAt'] },
    { name: 'app_sign_out_tenant', properties: ['tenant'] },
  ],
});
