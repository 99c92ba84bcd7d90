import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chartDir, objectsIn } from '../../chart/helm.ts';
import { workloads } from '../../chart/manifests.ts';
import { eventually } from '../../support/harness.ts';
import { loadValues, startLoad, summary } from '../load.ts';
import { evaluationValues } from '../options.ts';
import { findPrometheus, startPrometheus } from '../prometheus.ts';
import { openRelease } from '../release.ts';
import type { Lab, Outcome } from './lab.ts';

/** An alert fires after its own two minutes. */
const alertLimitMs = 240_000;
const seriesLimitMs = 120_000;

/** Queries of rare events: failures, tenants' mistakes, and features that are off. */
const rare =
  /bailiwick_delivery_(?:spilled|parked|publish_duplicates)|error!=""|sign_ins_total|idempotent|audit_prune|broker_loss|dek_by_kek|status="500"|permission_cache/;

/** Prometheus reads every process, the dashboard has data, and an alert fires and clears. */
export async function tryMonitoring({ cluster, images, say }: Lab): Promise<Outcome> {
  const programs = findPrometheus();
  if (programs === undefined) {
    say('NOT TESTED: MONITORING. prometheus and promtool are not on the PATH');
    return 'not tested';
  }
  const release = await openRelease(cluster);
  const values = [
    ...evaluationValues(images.current, release.url),
    ...loadValues(cluster.namespace),
  ];
  await release.install(values);
  const load = await startLoad(release, images.current, await release.use());
  const rendered = objectsIn(
    await release.render([...values, 'alerts.enabled=true', 'monitors.enabled=true']),
  );
  const rules = rendered.find(({ kind }) => kind === 'PrometheusRule');
  const prometheus = await startPrometheus(cluster, programs, rules?.spec ?? assert.fail());
  try {
    say(`promtool: ${prometheus.checked.replaceAll(/\s+/g, ' ')}`);
    await eventually(
      'every workload is scraped',
      async () => {
        const targets = await prometheus.targets();
        return (
          targets.length === Object.keys(workloads).length &&
          targets.every(({ health }) => health === 'up')
        );
      },
      seriesLimitMs,
    );
    say(`${Object.keys(workloads).length} targets are up`);
    await assertDashboard(prometheus.count, say);
    /** Sets the number of pods of a workload. @returns the seconds until the alert follows */
    const scaled = async (replicas: number, firing: number) => {
      const began = Date.now();
      await cluster.kubectl(
        'scale',
        'deployment/bailiwick-notifications-email',
        `--replicas=${replicas}`,
      );
      await eventually(
        `${firing} of BailiwickDown with ${replicas} pods`,
        async () => (await prometheus.firing('BailiwickDown')) === firing,
        alertLimitMs,
      );
      return Math.round((Date.now() - began) / 1000);
    };
    assert.equal(await prometheus.firing('BailiwickDown'), 0);
    say(
      `BailiwickDown fired after ${await scaled(0, 1)} s without notifications-email, and cleared ${await scaled(1, 0)} s after its return`,
    );
  } finally {
    await prometheus.stop();
  }
  say(`in all: ${summary(await load.finish())}`);
  await release.uninstall();
  return 'passed';
}

/** Asserts that every query of the dashboard is valid, and that those of usual work find series. */
async function assertDashboard(
  count: (query: string) => Promise<number>,
  say: Lab['say'],
): Promise<void> {
  type Panel = { title: string; targets?: Array<{ expr: string }> };
  const { panels } = JSON.parse(
    readFileSync(path.join(chartDir, 'dashboards/bailiwick.json'), 'utf8'),
  ) as { panels: Panel[] };
  const queries = panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr
        .replaceAll('$__rate_interval', '1m')
        .replaceAll('$__range', '5m')
        .replaceAll('$job', '.*'),
    ),
  );
  const empty: string[] = [];
  for (const query of queries) {
    const hasSeries = async () => (await count(query)) > 0;
    if (rare.test(query)) {
      if (!(await hasSeries())) empty.push(query);
    } else await eventually(`series of ${query}`, hasSeries, seriesLimitMs);
  }
  say(
    `${queries.length - empty.length} of ${queries.length} queries of the dashboard find series; the others are of rare events`,
  );
}
