import type { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { chartDir } from '../chart/helm.ts';
import { run } from '../chart/tools.ts';

// kubectl and helm, for one namespace of one cluster.

const limitMs = 15 * 60_000;

export type Cluster = ReturnType<typeof openCluster>;

/** kubectl's current context if its cluster answers, or the reason why not. */
export async function findContext(
  wanted: string | undefined,
): Promise<{ context: string } | { reason: string }> {
  try {
    const context = wanted ?? (await run('kubectl', ['config', 'current-context'])).stdout.trim();
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
  return {
    kubectl,
    helm: (...args: string[]) =>
      ask(helm, [...args, '--kube-context', context, '--namespace', namespace]),
    chart: chartDir,
    /** Forwards a port of this machine to a Service, until it is stopped. */
    async forward(
      service: string,
      ports: string,
    ): Promise<{ port: number; stop(): Promise<void> }> {
      const child = spawn('kubectl', [...place, 'port-forward', `service/${service}`, ports], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'close');
      const port = await new Promise<number>((resolve, reject) => {
        // Reads all output, because kubectl prints a line for each connection.
        child.stdout.on('data', (chunk: Buffer) => {
          const found = /^Forwarding from 127\.0\.0\.1:(\d+)/m.exec(chunk.toString())?.[1];
          if (found !== undefined) resolve(Number(found));
        });
        child.once('close', () => reject(new Error(`kubectl could not forward to ${service}`)));
      });
      return { port, stop: async () => void (child.kill(), await ended) };
    },
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

/** Polls until nothing is found; fails with the remaining objects. */
export async function untilNothing(
  complaint: string,
  look: () => Promise<string>,
  { limitMs = 120_000, pauseMs = 1000 } = {},
): Promise<void> {
  for (const deadline = Date.now() + limitMs; ; await sleep(pauseMs)) {
    const found = (await look()).trim();
    if (found === '') return;
    if (Date.now() > deadline) throw new Error(`${complaint}: ${found}`);
  }
}

export const say = (line: string): void => void process.stderr.write(`${line}\n`);
