import { defineEntity, p } from '@mikro-orm/core';

/**
 * The result of one attempt. It is the attempt log, and makes a redelivered attempt a no-op. Kept
 * 30 days.
 */
export const DeliveryAttemptEntity = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'delivery_attempt',
  properties: {
    task: p.string().primary().columnType('text'),
    attempt: p.integer().primary(),
    operation: p.text(),
    tenant: p.text(),
    endpoint: p.text(),
    event: p.text(),
    /** The event's type; empty for mails. */
    type: p.text(),
    /** The webhook-id; the task's own id for mails. */
    delivery: p.text(),
    /** delivered, retry, failed or dropped. */
    status: p.text(),
    statusCode: p.integer(),
    error: p.text(),
    message: p.text(),
    durationMs: p.integer(),
    startedAt: p.datetime(3),
    nextAttemptAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'delivery_attempt_endpoint', properties: ['tenant', 'endpoint', 'startedAt'] },
    { name: 'delivery_attempt_age', properties: ['startedAt'] },
    { name: 'delivery_attempt_tenant', properties: ['tenant', 'startedAt', 'task', 'attempt'] },
  ],
});

/**
 * A task between two attempts, or after its last one. waiting: until it is due. queued: published
 * to the broker. parked: until its endpoint can be sent to. dead: dead-lettered, kept 30 days.
 */
export const DeliveryWaitingEntity = defineEntity({
  name: 'DeliveryWaiting',
  tableName: 'delivery_waiting',
  properties: {
    task: p.string().primary().columnType('text'),
    state: p.text(),
    /** The second part of the task's subject. */
    lane: p.text(),
    operation: p.text(),
    tenant: p.text(),
    endpoint: p.text(),
    event: p.text(),
    /** The number of the next attempt; for a dead letter, of the last one made. */
    attempt: p.integer(),
    /** The attempt with which the retry schedule began: not 1 after a replay. */
    firstAttempt: p.integer().default(1),
    dueAt: p.datetime(3).nullable(),
    queuedAt: p.datetime(3).nullable(),
    enqueuedAt: p.datetime(3),
    extra: p.json<Record<string, string>>(),
    /** The trace of the previous attempt; the next one continues it. */
    traceparent: p.text().default(''),
    dekId: p.text(),
    /** The documented JSON request, sealed. */
    request: p.blob(),
  },
  checks: [
    {
      name: 'delivery_waiting_state_check',
      expression: "state in ('waiting', 'queued', 'parked', 'dead')",
    },
  ],
  indexes: [
    { name: 'delivery_waiting_due', properties: ['lane', 'dueAt'], where: "state = 'waiting'" },
    {
      name: 'delivery_waiting_queued',
      properties: ['lane', 'queuedAt'],
      where: "state = 'queued'",
    },
    { name: 'delivery_waiting_dead', properties: ['enqueuedAt'], where: "state = 'dead'" },
    { name: 'delivery_waiting_endpoint', properties: ['tenant', 'endpoint'] },
    {
      name: 'delivery_waiting_parked',
      properties: ['tenant', 'endpoint', 'enqueuedAt'],
      where: "state = 'parked'",
    },
    {
      name: 'delivery_waiting_under_way',
      properties: ['tenant', 'endpoint', 'dueAt'],
      where: "state in ('waiting', 'queued')",
    },
    { name: 'delivery_waiting_dek', properties: ['tenant', 'dekId', 'task'] },
  ],
});
