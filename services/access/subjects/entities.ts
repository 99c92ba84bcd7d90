import { defineEntity, p } from '@mikro-orm/core';

/**
 * The status of a user or bot, as identity reported it. A disabled subject has no rights, despite
 * its grants. A deleted one must not receive grants from a call that was already running. A leaving
 * user keeps all rights but does not count as an owner. No row = never changed.
 */
export const SubjectStateEntity = defineEntity({
  name: 'SubjectState',
  tableName: 'subject_state',
  properties: {
    subject: p.string().primary().columnType('text'),
    state: p.text().$type<'active' | 'disabled' | 'leaving' | 'deleted'>(),
    since: p.datetime(3),
    /** The time of the report. Older reports are ignored. */
    changedAt: p.datetime(3),
  },
});
