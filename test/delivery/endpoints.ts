import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { bodyOf } from '../answers.ts';
import type { Stack } from '../harness.ts';
import { type Caught, caughtBy } from '../people.ts';

// What tests of deliveries do with webhook endpoints.

export type Owner = { stack: Stack; tenant: string; token: string };
export type Made = { id: string; secret: string };
export type Result = {
  ID: string;
  Status: string;
  StatusCode: number;
  Error: string;
  Attempt: number;
  Message: string;
  NextAttemptAt?: string;
};

/** An endpoint at the inbox's hook of that name, which gets no events unless it asks for some. */
export async function makeEndpoint(
  { stack, tenant, token }: Owner,
  hook: string,
  more: Record<string, unknown> = {},
): Promise<Made> {
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

/** One attempt by hand, as the worker makes it. */
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

/** The newest request at a hook, which has to be there. */
export async function newestAt(stack: Stack, hook: string, secret = ''): Promise<Caught> {
  const [newest] = await caughtBy(stack, hook, secret);
  assert.ok(newest, `a request at ${hook}`);
  return newest;
}

/** The bytes that were sent. */
export const rawOf = ({ BodyBase64 }: Caught): Buffer => Buffer.from(BodyBase64, 'base64');
