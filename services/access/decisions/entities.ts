import { defineEntity, p } from '@mikro-orm/core';

/**
 * What has become of a user or bot. One that is disabled holds nothing, whatever was granted to it; one that has been deleted
 * must not be granted anything by a call that was on its way. A user who is leaving still holds everything, but counts as no
 * owner. Whoever was never changed has no row.
 */
export const SubjectStateEntity = defineEntity({
  name: 'SubjectState',
  tableName: 'subject_state',
  properties: {
    subject: p.string().primary().columnType('text'),
    state: p.text().$type<'active' | 'disabled' | 'leaving' | 'deleted'>(),
    since: p.datetime(3),
    /** The time of the news that this rests on: older ones change nothing. */
    changedAt: p.datetime(3),
  },
});
