import type { Answer, Stack } from '../support/harness.ts';
import { signUp, tenantFor } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';

export const inProgress = 'a request with this Idempotency-Key is in progress, try again later';

export const keyed = (key: string) => ({ 'idempotency-key': key });

export const isReplayed = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';

export type KeyedCalls = Awaited<ReturnType<typeof startKeyedCalls>>;

/** An owner with a tenant on a stack, and the calls of the suites about Idempotency-Key. */
export async function startKeyedCalls(stack: Stack) {
  const ada = await signUp(stack);
  const tenant = await tenantFor(stack, ada.id);
  const endpoint = (Name: string) => ({
    Endpoint: {
      Tenant: tenant,
      Name,
      URL: `${stack.inboxUrl}/hooks/quiet`,
      EventTypes: ['nothing.at_all'],
    },
  });
  const create = (name: string, key: string, token = ada.token) =>
    stack.call('Webhooks_CreateEndpoint', endpoint(name), token, keyed(key));
  const countEndpoints = (name: string) =>
    countOf(stack, 'notifications.webhook_endpoint where tenant = $1 and name = $2', [
      tenant,
      name,
    ]);
  const saveGroup = (path: string, key: string) =>
    stack.call('Groups_Save', { Group: { Tenant: tenant, Path: path } }, ada.token, keyed(key));
  /** Makes all stored calls of a service look this old. */
  const age = (service: string, interval: string) =>
    rowsOf(stack, `update ${service}.idempotent_call set claimed_at = claimed_at - $1::interval`, [
      interval,
    ]);

  return { stack, ada, tenant, endpoint, create, countEndpoints, saveGroup, age };
}
