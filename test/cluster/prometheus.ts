import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { which } from '@bailiwick/deploy/local/nats-server.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { eventually } from '../support/harness.ts';
import { takePort } from '../support/ports.ts';
import { run } from '../tools/go.ts';
import type { Cluster } from './tools.ts';

// A Prometheus on this machine. It reads the cluster's pods through the API server, so that it works
// with every cluster that kubectl reaches.

const scrapeSeconds = 5;

type Programs = { prometheus: string; promtool: string };
type Target = { health: string };
type Rule = { name: string; state: 'inactive' | 'pending' | 'firing' };

/** Undefined if this machine does not have both. */
export function findPrometheus(): Programs | undefined {
  const [prometheus, promtool] = ['prometheus', 'promtool'].map((name) =>
    which(name, process.env['PATH'] ?? ''),
  );
  return prometheus && promtool ? { prometheus, promtool } : undefined;
}

/** Selects and labels targets like the chart's monitors, and reads them through the API server. */
const configuration = (cluster: Cluster, proxyPort: number, rules: string) => ({
  global: {
    scrape_interval: `${scrapeSeconds}s`,
    evaluation_interval: `${scrapeSeconds}s`,
  },
  rule_files: [rules],
  scrape_configs: [
    {
      job_name: 'bailiwick',
      honor_labels: true,
      kubernetes_sd_configs: [
        {
          role: 'pod',
          api_server: `http://${loopback}:${proxyPort}`,
          namespaces: { names: [cluster.namespace] },
        },
      ],
      relabel_configs: [
        {
          source_labels: ['__meta_kubernetes_pod_container_port_name'],
          regex: 'admin',
          action: 'keep',
        },
        {
          source_labels: [
            '__meta_kubernetes_namespace',
            '__meta_kubernetes_pod_name',
            '__meta_kubernetes_pod_container_port_number',
          ],
          regex: '(.+);(.+);(.+)',
          replacement: '/api/v1/namespaces/$1/pods/$2:$3/proxy/metrics',
          target_label: '__metrics_path__',
        },
        { target_label: '__address__', replacement: `${loopback}:${proxyPort}` },
        { source_labels: ['__meta_kubernetes_namespace'], target_label: 'namespace' },
        { source_labels: ['__meta_kubernetes_pod_name'], target_label: 'pod' },
        { source_labels: ['__meta_kubernetes_pod_container_name'], target_label: 'container' },
        {
          source_labels: ['__meta_kubernetes_pod_label_app_kubernetes_io_instance'],
          target_label: 'job',
        },
      ],
    },
  ],
});

/** Starts it with the groups of a PrometheusRule, which `promtool` checks first. */
export async function startPrometheus(
  cluster: Cluster,
  { prometheus, promtool }: Programs,
  groups: object,
) {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-prometheus-'));
  const file = (name: string, content: object) => {
    writeFileSync(path.join(folder, name), JSON.stringify(content));
    return path.join(folder, name);
  };
  const rules = file('rules.json', groups);
  const checked = await run(promtool, ['check', 'rules', rules]);
  const proxy = await cluster.proxy();
  const port = await takePort();
  const child = spawn(
    prometheus,
    [
      `--config.file=${file('prometheus.yml', configuration(cluster, proxy.port, rules))}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=${loopback}:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const ask = async <Data>(query: string): Promise<Data> => {
    const answer = await fetch(`http://${loopback}:${port}/api/v1/${query}`);
    const { data, error } = (await answer.json()) as { data: Data; error?: string };
    if (error !== undefined) throw new Error(`${query}: ${error}`);
    return data;
  };
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
    await proxy.stop();
    rmSync(folder, { recursive: true });
  };
  const ready = async () => (await fetch(`http://${loopback}:${port}/-/ready`)).ok;
  await eventually('Prometheus is ready', () => ready().catch(() => false), 60_000).catch(
    async (error: unknown) => {
      await stop();
      throw error;
    },
  );
  return {
    checked: checked.stdout.trim(),
    targets: async () =>
      (await ask<{ activeTargets: Target[] }>('targets?state=active')).activeTargets,
    /** @returns the number of firing alerts of that name */
    async firing(alert: string): Promise<number> {
      const { groups } = await ask<{ groups: Array<{ rules: Rule[] }> }>('rules?type=alert');
      return groups
        .flatMap(({ rules: own }) => own)
        .filter(({ name, state }) => name === alert && state === 'firing').length;
    },
    /** @returns the number of series that a query finds now */
    count: async (query: string) =>
      (await ask<{ result: unknown[] }>(`query?query=${encodeURIComponent(query)}`)).result.length,
    stop,
  };
}
