import { defineEntity, p } from '@mikro-orm/core';

/**
 * An event that an application published under its own id, kept for the period in which the id
 * deduplicates.
 */
export const PublishedEventEntity = defineEntity({
  name: 'PublishedEvent',
  tableName: 'published_event',
  properties: {
    tenant: p.string().primary().columnType('text'),
    /** The application's id for the event. */
    id: p.string().primary().columnType('text'),
    event: p.text(),
    publishedAt: p.datetime(3),
  },
  indexes: [{ name: 'published_event_age', properties: ['publishedAt'] }],
});
