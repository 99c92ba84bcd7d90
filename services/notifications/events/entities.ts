import { defineEntity, p } from '@mikro-orm/core';

/** An event that an application published under a name of its own, for as long as the name counts. */
export const PublishedEventEntity = defineEntity({
  name: 'PublishedEvent',
  tableName: 'published_event',
  properties: {
    tenant: p.string().primary().columnType('text'),
    /** The application's name for it. */
    id: p.string().primary().columnType('text'),
    event: p.text(),
    publishedAt: p.datetime(3),
  },
  indexes: [{ name: 'published_event_age', properties: ['publishedAt'] }],
});
