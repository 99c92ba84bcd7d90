import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { recordIn } from '../../support/answers.ts';
import type { Answer, Topology } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';

type Person = Awaited<ReturnType<typeof signUp>>;

type Common = {
  ID: string;
  Tenant: string;
  Name: string;
  Active: boolean;
  DekID: string;
  UpdatedAt: string;
};

export type Endpoint = Common & { URL: string; SecretEnc: string };

export type ChatEndpoint = Common & { Kind: string; URLEnc: string };

type ChatRow = { dek_id: string; url_enc: Buffer; active: boolean; kind: string };

export const missing = 'whk_01hzzzzzzzzzzzzzzzzzzzzzzz';

export const missingChat = 'slk_01hzzzzzzzzzzzzzzzzzzzzzzz';

export const nameRequired = 'endpoint name is required';

export const urlRequired = 'endpoint url is required';

/** The record of an endpoint without its health, which answers to changes do not have. */
export const withoutHealth = ({ Health: _health, ...record }: Record<string, unknown>) => record;

/** The endpoint in the answer of a read, without its health. */
export const endpointIn = (answer: Answer) =>
  withoutHealth(recordIn(answer, 'Endpoint') as Record<string, unknown>);

/** No event has this type, so nothing is ever sent to these endpoints. */
const EventTypes = ['nothing.at_all'];

export type Endpoints = Awaited<ReturnType<typeof startEndpoints>>;

export type ChatEndpoints = Awaited<ReturnType<typeof startChatEndpoints>>;

/** The stack, two owners and the calls of the suites about webhook endpoints. */
export async function startEndpoints(topology: Topology) {
  const common = await startOwners(topology, 'Webhooks');
  const { stack, ada, hook } = common;
  const sample = (Tenant: string) => ({ Tenant, Name: 'Billing', URL: hook(), EventTypes });
  const create = (endpoint: object, token = ada.token, rest: object = {}) =>
    stack.call('Webhooks_CreateEndpoint', { Endpoint: endpoint, ...rest }, token);
  const update = (endpoint: object, token = ada.token) =>
    stack.call('Webhooks_UpdateEndpoint', { Endpoint: endpoint }, token);
  const newEndpoint = async (endpoint: object, token = ada.token) =>
    recordIn(await create(endpoint, token), 'Endpoint') as Endpoint;
  const stored = (id: string) =>
    rowsOf(
      stack,
      'select name, url_masked as url, active, event_types from notifications.webhook_endpoint where id = $1',
      [id],
    );

  return { ...common, sample, create, update, newEndpoint, stored };
}

/** The stack, two owners and the calls of the suites about chat endpoints. */
export async function startChatEndpoints(topology: Topology) {
  const common = await startOwners(topology, 'Chat');
  const { stack, ada, hook } = common;
  const sample = (Tenant: string) => ({ Tenant, Name: 'Operations', EventTypes });
  const create = (endpoint: object, URL: unknown = hook(), token = ada.token, rest: object = {}) =>
    stack.call('Chat_CreateEndpoint', { Endpoint: endpoint, URL, ...rest }, token);
  const update = (endpoint: object, URL: unknown = '', token = ada.token) =>
    stack.call('Chat_UpdateEndpoint', { Endpoint: endpoint, URL }, token);
  const newEndpoint = async (endpoint: object, URL = hook(), token = ada.token) =>
    recordIn(await create(endpoint, URL, token), 'Endpoint') as ChatEndpoint;
  async function stored(id: string): Promise<ChatRow> {
    const [row] = await rowsOf<ChatRow>(
      stack,
      'select dek_id, url_enc, active, kind from notifications.chat_endpoint where id = $1',
      [id],
    );
    return row ?? assert.fail(`${id} is not stored`);
  }

  return { ...common, sample, create, update, newEndpoint, stored };
}

/** The stack, two owners and the calls that both kinds of endpoints have. */
async function startOwners(topology: Topology, area: 'Webhooks' | 'Chat') {
  const stack = await sharedStack(topology);
  const [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  /** A tenant from the platform, which does not count against its owner's ten. */
  const tenantOf = async ({ id }: Person) => tenantFor(stack, id);
  const hook = (name = 'quiet') => `${stack.inboxUrl}/hooks/${name}`;
  const read = (Tenant: string, ID: string, token = ada.token) =>
    stack.call(`${area}_GetEndpoint`, { Tenant, ID }, token);
  const remove = (Tenant: string, ID: string, token = ada.token) =>
    stack.call(`${area}_DeleteEndpoint`, { Tenant, ID }, token);

  return { stack, ada, bob, tenantOf, hook, read, remove, stop: () => stack.stop() };
}
