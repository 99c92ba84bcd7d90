import type { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { chartDir } from '../chart/helm.ts';
import type { Pod } from '../chart/manifests.ts';
import { run } from '../tools/go.ts';

// kubectl and helm, for one namespace of one cluster.

const limitMs = 15 * 60_000;

export type Cluster = ReturnType<typeof openCluster>;

export type RunningPod = Pod & {
  metadata: { name: string; labels: Record<string, string>; deletionTimestamp?: string };
  status: {
    phase: string;
    podIP?: string;
    containerStatuses?: Array<{ restartCount: number; ready: boolean }>;
  };
};

/** kubectl's current context if its cluster answers, or the reason why not. */
export async function findContext(
  name: string | undefined,
): Promise<{ context: string } | { reason: string }> {
  try {
    const context = name ?? (await run('kubectl', ['config', 'current-context'])).stdout.trim();
    await run('kubectl', [
      '--context',
      context,
      '--request-timeout',
      '5s',
      'get',
      '--raw',
      '/version',
    ]);
    return { context };
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    return {
      reason:
        code === 'ENOENT' ? 'kubectl is not on the PATH' : (stderr.trim().split('\n').at(-1) ?? ''),
    };
  }
}

/** The name of a Service for every pod of the cluster. */
export const hostOf = (service: string, namespace: string): string =>
  `${service}.${namespace}.svc.cluster.local`;

export function openCluster({
  context,
  namespace,
  helm,
}: {
  context: string;
  namespace: string;
  helm: string;
}) {
  const ask = async (command: string, args: readonly string[]) =>
    (await run(command, [...args], { timeout: limitMs, maxBuffer: 1 << 26 })).stdout;
  const place = ['--context', context, '--namespace', namespace];
  const kubectl = (...args: string[]) => ask('kubectl', [...place, ...args]);
  const applyWith = async (objects: readonly object[], ...more: string[]): Promise<void> => {
    const items = { apiVersion: 'v1', kind: 'List', items: objects };
    const args = [...place, 'apply', ...more, '--filename', '-'];
    const ran = run('kubectl', args, { timeout: limitMs });
    ran.child.stdin?.end(JSON.stringify(items));
    await ran;
  };
  return {
    namespace,
    kubectl,
    /** Creates or updates objects. */
    apply: (objects: readonly object[]) => applyWith(objects),
    /** Asks the API server whether it would accept objects. @throws if it would not */
    tryOut: (objects: readonly object[]) =>
      applyWith(objects, '--dry-run=server', '--validate=strict'),
    /** The pods of the namespace, all or those that a label selects. */
    async pods(selector = ''): Promise<RunningPod[]> {
      const output = await kubectl('get', 'pods', '--selector', selector, '--output', 'json');
      return (JSON.parse(output) as { items: RunningPod[] }).items;
    },
    helm: (...args: string[]) =>
      ask(helm, [...args, '--kube-context', context, '--namespace', namespace]),
    chart: chartDir,
    /** Forwards a port of this machine to a Service, until it is stopped. */
    forward: (service: string, ports: string, from = namespace) =>
      listening(
        ['--context', context, '--namespace', from, 'port-forward', `service/${service}`, ports],
        /^Forwarding from 127\.0\.0\.1:(\d+)/m,
      ),
    /** Serves the API server on a port of this machine, until it is stopped. */
    proxy: () =>
      listening(
        ['--context', context, 'proxy', '--port=0'],
        /^Starting to serve on 127\.0\.0\.1:(\d+)/m,
      ),
    /** The objects with the release's label. */
    left: (release: string) =>
      kubectl(
        'get',
        'all,secrets,configmaps,persistentvolumeclaims,networkpolicies',
        '--selector',
        `app.kubernetes.io/instance=${release}`,
        '--output',
        'name',
      ),
  };
}

/** Starts kubectl, and waits until it prints the port on which it listens. */
async function listening(
  args: readonly string[],
  printed: RegExp,
): Promise<{ port: number; stop(): Promise<void> }> {
  const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const port = await new Promise<number>((resolve, reject) => {
    // Reads all output, because kubectl prints a line for each connection.
    child.stdout.on('data', (chunk: Buffer) => {
      const port = printed.exec(chunk.toString())?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('close', () => reject(new Error(`kubectl ended: ${args.join(' ')}`)));
  });
  return { port, stop: async () => void (child.kill(), await ended) };
}

/** Polls until nothing is found; fails with the remaining objects. */
export async function untilNothing(
  complaint: string,
  look: () => Promise<string>,
  { limitMs = 120_000, pauseMs = 1000 } = {},
): Promise<void> {
  for (const deadline = Date.now() + limitMs; ; await sleep(pauseMs)) {
    const objects = (await look()).trim();
    if (objects === '') return;
    if (Date.now() > deadline) throw new Error(`${complaint}: ${objects}`);
  }
}

export const say = (line: string): void => void process.stderr.write(`${line}\n`);
