import { describe, test } from 'node:test';
import { eventually } from '../support/harness.ts';
import { createTenant, newAddress, register, signUp } from '../support/people.ts';
import { measured, scrape, sumOf } from './metrics.ts';

// One process, through outages of the broker and the database.

describe('metrics (one process)', () => {
  // A dead letter after two attempts, and a database that can stop.
  const settings = { BAILIWICK_RETRY_SCHEDULE: '0s,1s' };
  const started = measured('one process', settings, { ownServer: true });

  const valueOf = async (metric: string, labels: Record<string, string> = {}) =>
    sumOf(await scrape(started(), 'gateway'), metric, labels);

  test('the age of the oldest message grows during a broker outage, and no value is invented during a database outage', async () => {
    const stack = started();
    const { token } = await signUp(stack);
    const tenant = await createTenant(stack, token);
    await stack.call(
      'Webhooks_CreateEndpoint',
      {
        Endpoint: {
          Tenant: tenant,
          Name: 'a',
          URL: `${stack.inboxUrl}/hooks/dead?status=503`,
          EventTypes: ['group.*'],
        },
      },
      token,
    );
    await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'eng' } }, token);
    await eventually(
      'the dead letter',
      async () => (await valueOf('bailiwick_delivery_dead_letters')) === 1,
    );
    await stack.stopBroker();
    await register(stack, newAddress('waiting'));
    await eventually(
      'the lag',
      async () => (await valueOf('bailiwick_outbox_lag_seconds', { service: 'identity' })) > 1,
    );
    await stack.stopDatabase();
    await eventually('NaN', async () =>
      Number.isNaN(await valueOf('bailiwick_outbox_lag_seconds', { service: 'identity' })),
    );
    await stack.startDatabase();
    await stack.startBroker();
    await eventually(
      'no lag',
      async () => (await valueOf('bailiwick_outbox_lag_seconds', { service: 'identity' })) === 0,
    );
  });
});
