import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { parse } from 'yaml';

type Workflow = { jobs: Record<string, { steps: Array<{ run?: string }>; env?: Record<string, string> }> };

test('the public CI runs what is there: the checks, the tests in containers, and the tests on Deno', () => {
  const { jobs } = parse(readFileSync(path.join(root, '.github/workflows/ci.yaml'), 'utf8')) as Workflow;
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  const commandsOf = (job: string) => jobs[job]?.steps.flatMap(({ run = [] }) => run) ?? [];
  assert.deepEqual(commandsOf('tests'), ['.ci/run']);
  assert.equal(jobs['containers']?.env?.['BAILIWICK_INFRA'], 'containers');
  assert.match(commandsOf('containers').join(), /^npm test -- /);
  assert.match(commandsOf('deno').join(), /^npm test -- --deno /);
  const ci = readFileSync(path.join(root, '.ci/run'), 'utf8');
  for (const [command, script = ''] of `${ci}\n${Object.keys(jobs).flatMap(commandsOf).join('\n')}`.matchAll(/npm (?:run )?(\w+)/g))
    assert.ok(scripts[script], `${command} is no script of package.json`);
});
