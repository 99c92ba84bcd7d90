import { bodyOf } from '../support/answers.ts';
import { clientPod, lastPrinted, receiverPort, startReceiver } from './client-pod.ts';
import type { Owner, Release } from './release.ts';
import { type Cluster, hostOf } from './tools.ts';

// A backlog of deliveries: many events for many endpoints, whose receiver responds slowly.

const name = 'slow';
/** The groups whose events make the backlog have names that begin with it. */
const prefix = 'backlog-';
const endpoints = 50;
export const events = 400;
/** Saves in flight through the forwarded port. */
const atOnce = 8;
export const deliveries = endpoints * events;
/**
 * Long enough that 20,000 deliveries keep one worker busy for minutes, and below the two seconds at
 * which an endpoint counts as slow.
 */
const responseMs = 1000;

/** Prints the number of deliveries of the backlog each second, each counted once. */
const script = `
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
const delivered = new Set();
let repeated = 0;
http.createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  await sleep(${responseMs});
  response.writeHead(204).end();
  // An endpoint also gets the events of the endpoints that are made after it.
  if (!JSON.parse(text).data?.Path?.startsWith('${prefix}')) return;
  const id = request.url + ' ' + request.headers['webhook-id'];
  if (delivered.has(id)) repeated++;
  delivered.add(id);
}).listen(${receiverPort});
setInterval(() => console.log(JSON.stringify({ delivered: delivered.size, repeated })), 1000);
`;

type DeliveryCount = { delivered: number; repeated: number };
const none: DeliveryCount = { delivered: 0, repeated: 0 };

/** The values that let the workers reach the receiver, besides those of the load. */
export const backlogValues = (namespace: string): string[] => [
  `config.egressAllowHosts[2]=${hostOf(name, namespace)}`,
  `networkPolicy.receivers.to[1].podSelector.matchLabels.app=${name}`,
];

/** Starts the slow receiver. @returns a function that reads its counts */
export async function startSlowReceiver(cluster: Cluster, image: string) {
  await startReceiver(cluster, clientPod({ name, image, script }));
  return () => lastPrinted(cluster, name, none);
}

/**
 * Makes the endpoints, then the events for all of them. Calls `onEvent` with the number of
 * deliveries that each event causes.
 */
export const makeBacklog = (
  release: Release,
  { token, tenant }: Owner,
  onEvent: (deliveries: number) => void,
): Promise<void> =>
  release.reach(async (stack) => {
    const turns = (count: number) => Array.from({ length: count }, (_, turn) => turn);
    for (const turn of turns(endpoints)) {
      const URL = `http://${hostOf(name, release.cluster.namespace)}:${receiverPort}/${turn}`;
      const Endpoint = { Tenant: tenant, Name: `slow-${turn}`, URL };
      bodyOf(await stack.call('Webhooks_CreateEndpoint', { Endpoint }, token));
    }
    const queue = turns(events);
    const save = async () => {
      for (let turn = queue.shift(); turn !== undefined; turn = queue.shift()) {
        const Group = { Tenant: tenant, Path: `${prefix}${turn}` };
        bodyOf(await stack.call('Groups_Save', { Group }, token));
        onEvent(endpoints);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, save));
  });
