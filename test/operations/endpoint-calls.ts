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
  URL: string;
  Active: boolean;
  DekID: string;
  SecretEnc: string;
  UpdatedAt: string;
};

export const missing = 'whk_01hzzzzzzzzzzzzzzzzzzzzzzz';

export const named = ['endpoint name is required', 'endpoint url is required'];

export type Endpoints = Awaited<ReturnType<typeof startEndpoints>>;

/** The stack, two owners and the calls of the suites about webhook endpoints. */
export async function startEndpoints(topology: Topology) {
  const stack = await sharedStack(topology);
  const [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  /** A tenant from the platform, which does not count against its owner's ten. */
  async function tenantOf({ id }: Person): Promise<string> {
    return tenantFor(stack, id);
  }
  // No event has this type, so nothing is ever sent to these endpoints.
  const sample = (Tenant: string) => ({
    Tenant,
    Name: 'Billing',
    URL: `${stack.inboxUrl}/hooks/quiet`,
    EventTypes: ['nothing.at_all'],
  });
  const create = (endpoint: object, token = ada.token, rest: object = {}) =>
    stack.call('Webhooks_CreateEndpoint', { Endpoint: endpoint, ...rest }, token);
  const update = (endpoint: object, token = ada.token) =>
    stack.call('Webhooks_UpdateEndpoint', { Endpoint: endpoint }, token);
  const read = (Tenant: string, ID: string, token = ada.token) =>
    stack.call('Webhooks_GetEndpoint', { Tenant, ID }, token);
  const remove = (Tenant: string, ID: string, token = ada.token) =>
    stack.call('Webhooks_DeleteEndpoint', { Tenant, ID }, token);
  const made = async (endpoint: object, token = ada.token) =>
    recordIn(await create(endpoint, token), 'Endpoint') as Endpoint;
  const stored = (id: string) =>
    rowsOf(
      stack,
      'select name, url, active, event_types from notifications.webhook_endpoint where id = $1',
      [id],
    );

  return {
    stack,
    ada,
    bob,
    tenantOf,
    sample,
    create,
    update,
    read,
    remove,
    made,
    stored,
    stop: () => stack.stop(),
  };
}
