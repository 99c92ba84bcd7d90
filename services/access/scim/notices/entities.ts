import { defineEntity, p } from '@mikro-orm/core';

/** A part of a directory's requests that is not stored. */
export const ScimNoticeEntity = defineEntity({
  name: 'ScimNotice',
  tableName: 'scim_notice',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    /** User or Group. */
    resourceType: p.text(),
    attribute: p.text(),
    /** Why the value was refused; "" = the attribute is not stored. */
    message: p.text(),
    /** The resource whose value was refused; "" = any. */
    resourceId: p.text(),
    firstAt: p.datetime(3),
    lastAt: p.datetime(3),
  },
  uniques: [
    {
      name: 'scim_notice_subject',
      properties: ['tenant', 'resourceType', 'attribute', 'message', 'resourceId'],
    },
  ],
});
