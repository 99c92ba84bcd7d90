import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { findTool, run } from '../chart/tools.ts';
import { doMainJob, type Installation } from '../main-job.ts';
import type { Answer } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { takePort } from '../support/ports.ts';
import { assertCapacity } from './capacity.ts';
import { assertKeyless } from './keyless.ts';
import { startLoad } from './load.ts';
import { installValues, readOptions, refusal, rollingValue, transferFor } from './options.ts';
import { type Cluster, findContext, openCluster, say, untilNothing } from './tools.ts';

// npm run test:cluster: tests the chart on a cluster, in a namespace of its own, which it removes afterwards.
//
//   npm run test:cluster                                             the current context, if it is a local cluster
//   npm run test:cluster -- --image bailiwick:0.1.0                  with an existing image
//   npm run test:cluster -- --context test --image example.com/b:1   another cluster, which pulls that image

const release = 'bailiwick';
const waiting = ['--wait', '--wait-for-jobs', '--timeout', '10m'];
const set = (values: readonly string[]): string[] => values.flatMap((value) => ['--set', value]);

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const found = await findContext(options.context);
  if ('reason' in found) {
    say(`NOT TESTED ON KUBERNETES: no cluster answers (${found.reason})`);
    return 0;
  }
  const refused = refusal(found.context, options);
  if (refused !== undefined) throw new Error(refused);
  const helm = await findTool('helm');
  if (helm.command === undefined) throw new Error(helm.reason);
  const namespace = `bailiwick-test-${randomBytes(3).toString('hex')}`;
  const cluster = openCluster({ context: found.context, namespace, helm: helm.command });
  await assertCapacity(cluster);
  const image = options.image ?? (await buildImage());
  const transfer = transferFor(found.context, image);
  if (typeof transfer === 'object') await run(transfer.command, [...transfer.args]);
  say(`testing ${image} in the namespace ${namespace} of ${found.context}`);
  await cluster.kubectl('create', 'namespace', namespace);
  await cluster.kubectl(
    'label',
    'namespace',
    namespace,
    'pod-security.kubernetes.io/enforce=restricted',
  );
  try {
    await tryRelease(cluster, image, namespace);
    return 0;
  } catch (error) {
    say(await cluster.kubectl('get', 'pods,events', '--output', 'wide').catch(String));
    throw error;
  } finally {
    await cluster.kubectl('delete', 'namespace', namespace, '--wait');
  }
}

async function buildImage(): Promise<string> {
  const image = `bailiwick:test-${randomBytes(3).toString('hex')}`;
  say(`building ${image} …`);
  await run('docker', ['build', '--file', 'deploy/Dockerfile', '--tag', image, '.'], {
    cwd: root,
    maxBuffer: 1 << 28,
  });
  return image;
}

async function tryRelease(cluster: Cluster, image: string, namespace: string): Promise<void> {
  const gatewayPort = await takePort();
  const url = `http://${loopback}:${gatewayPort}`;
  const values = set(installValues(image, url));
  await cluster.helm('install', release, cluster.chart, ...values, ...waiting);
  say('installed');
  const { token, tenant } = await useInstallation(cluster, url, namespace);
  say('the installation works');
  say(await cluster.helm('test', release));
  const load = await startLoad(cluster, {
    image,
    gateway: `http://${release}-gateway:8080`,
    token,
    tenant,
  });
  await cluster.helm(
    'upgrade',
    release,
    cluster.chart,
    ...values,
    '--set',
    rollingValue,
    ...waiting,
  );
  await settled(cluster);
  say(`upgraded: ${JSON.stringify(await load.counts())}`);
  await cluster.helm('rollback', release, ...waiting);
  await settled(cluster);
  say(`rolled back: ${JSON.stringify(await load.counts())}`);
  await load.assertWhole();
  await cluster.helm('uninstall', release, '--wait', '--timeout', '5m');
  // Helm waits for its objects, but not for pods that are still terminating.
  await untilNothing('objects of the release remain', () => cluster.left(release));
  say('uninstalled, nothing remains');
}

/** Uses the installation through a forwarded port, and returns a signed-in user with a tenant. */
async function useInstallation(
  cluster: Cluster,
  url: string,
  namespace: string,
): Promise<{ token: string; tenant: string }> {
  const gateway = await cluster.forward(`${release}-gateway`, `${new URL(url).port}:8080`);
  const inbox = await cluster.forward(`${release}-inbox`, ':8025').catch(async (error: unknown) => {
    await gateway.stop();
    throw error;
  });
  try {
    const installation: Installation = {
      url,
      inboxUrl: `http://${loopback}:${inbox.port}`,
      hooksUrl: `http://${release}-inbox.${namespace}.svc.cluster.local:8025`,
      call: (operation, body, token) => call(url, operation, body, token),
    };
    await doMainJob(installation);
    const { token } = await signUp(installation);
    const owner = { token, tenant: await createTenant(installation, token) };
    await assertKeyless({ name: namespace, kubectl: cluster.kubectl }, installation, owner);
    say('a ServiceAccount has got a token of a bot');
    return owner;
  } finally {
    await Promise.all([gateway.stop(), inbox.stop()]);
  }
}

async function call(
  url: string,
  operation: string,
  body: unknown,
  token?: string,
): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(`${url}/${operation}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer['body'],
  };
}

/** Waits until the replaced pods have ended, because they still serve calls until then. */
async function settled(cluster: Cluster): Promise<void> {
  await untilNothing('replaced pods do not end', async () => {
    const pods = JSON.parse(await cluster.kubectl('get', 'pods', '--output', 'json')) as {
      items: Array<{ metadata: { name: string; deletionTimestamp?: string } }>;
    };
    return pods.items
      .flatMap(({ metadata }) => (metadata.deletionTimestamp === undefined ? [] : [metadata.name]))
      .join();
  });
}

process.exit(await main());
