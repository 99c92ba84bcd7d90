import path from 'node:path';
import process from 'node:process';
import { environmentOf } from '@bailiwick/deploy/local/environment.ts';
import { type ManagedProcess, startProcess } from '@bailiwick/deploy/local/processes.ts';
import type { ServiceName } from '@bailiwick/deploy/local/secrets.ts';
import { settingTables } from '@bailiwick/deploy/settings.ts';
import { bodyOf } from '../support/answers.ts';
import { hasThreeCopies } from '../support/broker-cluster.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts, longestPauseMs } from '../support/own-stack.ts';
import { createTenant, newAddress, password } from '../support/people.ts';
import { type Receivers, startReceivers } from './receivers.ts';

/** A tenant with the endpoints that receive all of its events. */
export type Place = { tenant: string; endpoints: string[] };
/** A process, and the port of its probes. */
export type Target = { managed: ManagedProcess; admin: number };
export type Product = Awaited<ReturnType<typeof startProduct>>;

const tenants = 3;
const names = ['steady', 'flaky', 'third', 'fourth'];
/** Short enough for a test, and in total longer than any outage in it. */
export const schedule = '0s,1s,2s,3s,5s,5s,10s,10s,20s,20s,30s';

/**
 * The five processes and a second notifications process that shares the work, with a database and a
 * broker, or a cluster of three, of their own.
 */
export async function startProduct(random: () => number, brokers: 1 | 3) {
  const receivers = await startReceivers(random);
  const environment = {
    BAILIWICK_LIMITS: 'off',
    BAILIWICK_RETRY_SCHEDULE: schedule,
    BAILIWICK_SMTP_URL: receivers.smtpUrl,
  };
  const stack = await startStack('five processes', environment, { ownServer: true, brokers });
  let second: ManagedProcess | undefined;
  const stop = async () => {
    await second?.stop();
    await stack.stop();
    await receivers.stop();
  };
  try {
    if (brokers === 3) await hasThreeCopies(stack.wiring.natsUrl);
    const email = newAddress();
    bodyOf(
      await stack.call(
        'Users_Create',
        { User: { Email: email }, Password: password },
        stack.platformKey,
      ),
    );
    const owner = {
      token: String(
        bodyOf(await stack.call('Account_Login', { Email: email, Password: password }))['Token'],
      ),
    };
    const places: Place[] = [];
    for (let index = 0; index < tenants; index++) {
      const tenant = await createTenant(stack, owner.token);
      const endpoints = names.map((name) => `${name}-${index}`);
      for (const endpoint of endpoints)
        await addEndpoint(stack, owner.token, { tenant, endpoint, receivers });
      places.push({ tenant, endpoints });
    }
    const wiring = { ...stack.wiring, ports: await choosePorts() };
    const env = environmentOf('notifications', settingTables.notifications, wiring, {
      ...process.env,
      ...environment,
    });
    const script = path.resolve(import.meta.dirname, '../../services/notifications/main.ts');
    const console = { say: () => {}, relay: () => {}, print: () => {} };
    second = startProcess(
      { name: 'notifications-2', script, env },
      { logDir: path.join(stack.folder, 'logs'), console, longestPauseMs },
    );
    const targetOf = (name: ServiceName): Target => ({
      managed: stack.processes.get(name) as ManagedProcess,
      admin: stack.wiring.ports[name].admin,
    });
    const targets = {
      workers: [
        targetOf('notifications'),
        { managed: second, admin: wiring.ports.notifications.admin },
      ],
      services: [targetOf('identity'), targetOf('access'), targetOf('sso')],
      gateway: targetOf('gateway'),
    };
    return { stack, targets, receivers, places, owner, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Endpoint = { tenant: string; endpoint: string; receivers: Receivers };

/** An endpoint that receives the events of a ledger. */
export async function addEndpoint(
  stack: Stack,
  token: string,
  { tenant, endpoint, receivers }: Endpoint,
): Promise<void> {
  const EventTypes = [
    'group.created',
    'bot.created',
    'role.created',
    'invitation.created',
    'report.finished',
  ];
  const created = await stack.call(
    'Webhooks_CreateEndpoint',
    {
      Endpoint: { Tenant: tenant, Name: endpoint, URL: `${receivers.url}/${endpoint}`, EventTypes },
    },
    token,
  );
  receivers.expect(endpoint, String(created.body['Secret']));
}
