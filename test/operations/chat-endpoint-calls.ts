import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { recordIn } from '../support/answers.ts';
import type { Topology } from '../support/harness.ts';
import { signUp, tenantFor } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { rowsOf } from '../support/store.ts';

type Person = Awaited<ReturnType<typeof signUp>>;

export type Endpoint = {
  ID: string;
  Tenant: string;
  Name: string;
  Kind: string;
  Active: boolean;
  DekID: string;
  URLEnc: string;
  UpdatedAt: string;
};

type Row = { dek_id: string; url_enc: Buffer; active: boolean; kind: string };

export const missing = 'slk_01hzzzzzzzzzzzzzzzzzzzzzzz';

export const named = 'endpoint name is required';

export type ChatEndpoints = Awaited<ReturnType<typeof startChatEndpoints>>;

/** The stack, two owners and the calls of the suites about chat endpoints. */
export async function startChatEndpoints(topology: Topology) {
  const stack = await sharedStack(topology);
  const [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  /** A tenant from the platform, which does not count against its owner's ten. */
  async function tenantOf({ id }: Person): Promise<string> {
    return tenantFor(stack, id);
  }
  // No event has this type, so nothing is ever sent to these endpoints.
  const sample = (Tenant: string) => ({
    Tenant,
    Name: 'Operations',
    EventTypes: ['nothing.at_all'],
  });
  const hook = (name = 'quiet') => `${stack.inboxUrl}/hooks/${name}`;
  const create = (endpoint: object, URL: unknown = hook(), token = ada.token, rest: object = {}) =>
    stack.call('Chat_CreateEndpoint', { Endpoint: endpoint, URL, ...rest }, token);
  const update = (endpoint: object, URL: unknown = '', token = ada.token) =>
    stack.call('Chat_UpdateEndpoint', { Endpoint: endpoint, URL }, token);
  const read = (Tenant: string, ID: string, token = ada.token) =>
    stack.call('Chat_GetEndpoint', { Tenant, ID }, token);
  const remove = (Tenant: string, ID: string, token = ada.token) =>
    stack.call('Chat_DeleteEndpoint', { Tenant, ID }, token);
  const made = async (endpoint: object, URL = hook(), token = ada.token) =>
    recordIn(await create(endpoint, URL, token), 'Endpoint') as Endpoint;
  async function stored(id: string): Promise<Row> {
    const [row] = await rowsOf<Row>(
      stack,
      'select dek_id, url_enc, active, kind from notifications.chat_endpoint where id = $1',
      [id],
    );
    return row ?? assert.fail(`${id} is not stored`);
  }

  return {
    stack,
    ada,
    bob,
    tenantOf,
    sample,
    hook,
    create,
    update,
    read,
    remove,
    made,
    stored,
    stop: () => stack.stop(),
  };
}
