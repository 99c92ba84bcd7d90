import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { bodyOf } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { type Caught, caughtBy } from '../support/people.ts';

// Helpers for webhook endpoints in delivery tests.

export type Owner = { stack: Stack; tenant: string; token: string };
export type NewEndpoint = { id: string; secret: string };
export type Result = {
  ID: string;
  Status: string;
  StatusCode: number;
  Error: string;
  Attempt: number;
  Message: string;
  NextAttemptAt?: string;
};

/** Creates an endpoint at the inbox's hook of that name. It subscribes to no events by default. */
export async function makeEndpoint(
  { stack, tenant, token }: Owner,
  hook: string,
  more: Record<string, unknown> = {},
): Promise<NewEndpoint> {
  const record = {
    Tenant: tenant,
    Name: hook,
    URL: `${stack.inboxUrl}/hooks/${hook}`,
    EventTypes: ['none.of.these'],
    ...more,
  };
  const body = bodyOf(await stack.call('Webhooks_CreateEndpoint', { Endpoint: record }, token));
  return { id: (body['Endpoint'] as { ID: string }).ID, secret: String(body['Secret']) };
}

/** Makes one attempt, as the worker does. */
export async function deliver(
  { stack, tenant }: Owner,
  endpoint: string,
  body: Uint8Array | string,
  type = 'test.sent',
): Promise<Result> {
  const request = {
    Tenant: tenant,
    Endpoint: endpoint,
    Type: type,
    Body: Buffer.from(body).toString('base64'),
  };
  return bodyOf(await stack.call('Webhooks_Deliver', request, stack.workerToken))['Task'] as Result;
}

/** The newest request at a hook. Fails if there is none. */
export async function newestAt(stack: Stack, hook: string, secret = ''): Promise<Caught> {
  const [newest] = await caughtBy(stack, hook, secret);
  assert.ok(newest, `a request at ${hook}`);
  return newest;
}

/** The bytes of the request body. */
export const rawOf = ({ BodyBase64 }: Caught): Buffer => Buffer.from(BodyBase64, 'base64');
