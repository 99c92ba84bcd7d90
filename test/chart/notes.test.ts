import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@bailiwick/deploy/local/testing.ts';
import { chartDir, openChart, type Values } from './helm.ts';

// The notes after an installation. `helm template` does not print them, so a copy of the chart
// renders them as an object.

const chart = await openChart();

test('the notes describe how to wait for the installation, reach it and test it', {
  skip: chart.skip,
}, async (t) => {
  const folder = temporaryFolder(t);
  cpSync(chartDir, folder, { recursive: true });
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'notes' } };
  writeFileSync(
    join(folder, 'templates/notes.yaml'),
    `${JSON.stringify(object).slice(0, -1)}, "data": {"text": {{ include (print $.Template.BasePath "/NOTES.txt") . | toJson }}}}\n`,
  );
  const notes = async (values: Values) =>
    (await chart.render({ ...values, chart: folder })).find(
      ({ metadata }) => metadata.name === 'notes',
    )?.data?.['text'] ?? assert.fail('no notes');
  const evaluation = await notes({ file: 'evaluation' });
  for (const line of [
    /the Job bailiwick-migrations-… has updated/,
    /delete job -l app\.kubernetes\.io\/instance=bailiwick,app\.kubernetes\.io\/component=migrations\n/,
    /port-forward service\/bailiwick-gateway 8080:8080/,
    /port-forward service\/bailiwick-inbox 8025:8025/,
    /^ {2}http:\/\/bailiwick-inbox\.test\.svc\.cluster\.local:8025\/hooks\/first$/m,
    /get secret bailiwick-evaluation --output jsonpath='\{\.data\.platform-key\}'/,
    /helm test bailiwick --namespace test/,
    /^ {2}kubectl --namespace test exec deployment\/bailiwick-access -- node deploy\/operator-link\.ts$/m,
  ])
    assert.match(evaluation, line);
  assert.match(evaluation, /--set evaluation\.persistence=false\. Reach it/);
  assert.match(
    await notes({ file: 'evaluation', set: ['evaluation.storageClassName=fast'] }),
    /data and keys\. Reach it/,
  );
  assert.match(
    await notes({ file: 'evaluation', set: ['evaluation.persistence=false'] }),
    /Without disks its data is\nlost with the pods: .* install it again\. Reach it/,
  );
  assert.doesNotMatch(
    await notes({ file: 'evaluation', set: ['config.egressAllowHosts={receiver}'] }),
    /\/hooks\//,
  );
  const minimal = await notes({ file: 'minimal' });
  assert.match(
    minimal,
    /Clients reach it at https:\/\/bailiwick\.example\.com: let your proxy forward .* Service bailiwick-gateway, port 8080/,
  );
  assert.doesNotMatch(minimal, /evaluation|port-forward/);
  assert.match(
    await notes({ file: 'ci/ingress-values.yaml' }),
    /Clients reach it at https:\/\/example\.com\/iam\.\n/,
  );
  for (const [mode, workload] of [
    ['compact', 'serve'],
    ['single', 'gateway'],
  ])
    assert.match(
      await notes({ file: 'minimal', set: [`mode=${mode}`] }),
      new RegExp(`exec deployment/bailiwick-${workload} -- node`),
    );
  for (const [mode, words] of [
    ['external', /once you have run `node deploy\/migrate\.ts`:/],
    ['initContainer', /once their init containers have updated/],
    ['hook', /once database and broker answer:/],
  ] as const) {
    const other = await notes({ file: 'minimal', set: [`migrations.mode=${mode}`] });
    assert.match(other, words);
    assert.doesNotMatch(other, /delete job/);
  }
  assert.doesNotMatch(await notes({ file: 'ci/open-network-values.yaml' }), /Network policies/);
});
