import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@bailiwick/contract';
import { createLog, startMetrics } from '@bailiwick/process';
import {
  type Attributes,
  createNoopMeter,
  type ObservableCallback,
  type ObservableResult,
} from '@opentelemetry/api';
import type { Tasks } from '../sending/task.ts';
import type { Attempt } from './attempt.ts';
import { perform } from './perform.ts';

/** Starts metrics, and returns how to read the sums of a counter. */
function countMetrics() {
  const callbacks = new Map<string, ObservableCallback>();
  const meter = createNoopMeter();
  const createObservableCounter = (name: string) => ({
    addCallback: (callback: ObservableCallback) => callbacks.set(name, callback),
  });
  startMetrics(Object.assign(meter, { createObservableCounter }));
  return (name: string): Array<[sum: number, labels: Attributes | undefined]> => {
    const sums: Array<[number, Attributes | undefined]> = [];
    const observe: ObservableResult['observe'] = (sum, labels) => void sums.push([sum, labels]);
    void callbacks.get(name)?.({ observe });
    return sums;
  };
}

test('an attempt whose request is invalid counts as an operation', async () => {
  const sumsOf = countMetrics();
  const operation = 'Account_Task_SendNotice';
  const method = operations.get(operation)?.method;
  assert.ok(method);
  const tasks: Tasks = new Map([[method, () => Promise.resolve({ response: {} })]]);
  const attempt: Attempt = {
    task: 'tsk_1',
    number: 1,
    first: 1,
    operation,
    lane: 'email',
    event: '',
    enqueued: new Date(),
    isFirstPublication: true,
    extra: {},
    text: '{"Email":7}',
    request: { Email: 7 },
    tenant: '',
    endpoint: '',
    type: '',
  };
  const result = await perform({ tasks, log: createLog('test', () => {}) }, attempt);
  assert.equal(result?.outcome.status, 'failed');
  assert.deepEqual(sumsOf('bailiwick_operations_total'), [[1, { operation, status: '400' }]]);
});
