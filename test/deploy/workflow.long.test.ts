import assert from 'node:assert/strict';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { type TestContext, test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { temporaryFolder } from '@bailiwick/deploy/local/testing.ts';
import { releaseNotes } from '@bailiwick/deploy/release-notes.ts';
import { parse } from 'yaml';
import { findTool, run } from '../tools/go.ts';
import { read, readDockerfile } from './dockerfile.ts';

type Step = { run?: string; uses?: string; with?: Record<string, unknown> };
type Job = {
  steps: Step[];
  env?: Record<string, string>;
  needs?: string;
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
  strategy?: { matrix: { include: Array<{ target: string }> } };
};
type Workflow = {
  on: { push: { tags?: string[] } };
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
};

const files = globSync('.github/workflows/*.yaml', { cwd: root }).sort();
const workflow = (name: string) => parse(read(`.github/workflows/${name}.yaml`)) as Workflow;
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps);
const commandsOf = (job: Job | undefined) =>
  job?.steps.flatMap(({ run: command = [] }) => command) ?? [];
const actionlint = await findTool('actionlint');

test('the workflows are valid for the forge', {
  skip: actionlint.reason ?? false,
}, async (t) => {
  assert.deepEqual(
    files,
    ['ci', 'codeql', 'release'].map((name) => `.github/workflows/${name}.yaml`),
  );
  const lint = (file: string) =>
    run(actionlint.command ?? '', ['-no-color', '-shellcheck=', '-pyflakes=', file], { cwd: root });
  for (const file of files) await lint(file);
  const wrong = join(temporaryFolder(t), 'wrong.yaml');
  writeFileSync(
    wrong,
    read('.github/workflows/release.yaml').replace(
      'steps.build.outputs.digest',
      'steps.built.outputs.digest',
    ),
  );
  await assert.rejects(lint(wrong), ({ stdout = '' }: { stdout?: string }) =>
    stdout.includes('built'),
  );
});

test('only one job of a pull request may write, its comments, and it runs no code of the repository', () => {
  const { jobs } = workflow('ci');
  const writing = Object.entries(jobs).filter(([, { permissions }]) => permissions !== undefined);
  assert.deepEqual(
    writing.map(([name, { permissions }]) => [name, permissions]),
    [['comment', { 'pull-requests': 'write' }]],
  );
  assert.deepEqual(
    jobs['comment']?.steps.map(({ uses }) => uses),
    [undefined],
  );
  const [command = ''] = commandsOf(jobs['comment']);
  assert.match(command, /^printf '%s\\n' "\$COMMENT" \| gh pr comment "\$NUMBER" /);
});

test('every action is pinned by its commit, the same everywhere, and every job has few permissions', () => {
  const pins = new Map<string, string>();
  for (const file of files) {
    for (const [, action = '', pin = '', version] of read(file).matchAll(
      /uses: ([^@\s]+)@(\S+)(?: # (v\d+\.\d+\.\d+))?$/gm,
    )) {
      assert.match(pin, /^[0-9a-f]{40}$/, `${file}: ${action}`);
      assert.ok(version, `${action} names its version`);
      assert.equal(pins.get(action) ?? pin, pin, action);
      pins.set(action, pin);
    }
    const { permissions, jobs } = parse(read(file)) as Workflow;
    assert.deepEqual(permissions, { contents: 'read' }, file);
    for (const [name, job] of Object.entries(jobs))
      assert.ok(job['timeout-minutes'], `${file}: ${name} has no time limit`);
    assert.doesNotMatch(read(file), /pull_request_target/);
    // Text from outside must not become part of a command.
    for (const step of stepsOf(parse(read(file)) as Workflow))
      assert.doesNotMatch(step.run ?? '', /\$\{\{/, step.run);
  }
  assert.ok(pins.size >= 10);
});

test('the public CI runs the checks, the coverage, the tests in containers and on Deno, the site and the image', () => {
  const { jobs } = workflow('ci');
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  assert.deepEqual(commandsOf(jobs['tests']), ['.ci/run']);
  assert.equal(jobs['containers']?.env?.['BAILIWICK_INFRA'], 'containers');
  assert.match(commandsOf(jobs['containers']).join(), /^npm test -- "--shard=\$SHARD" /);
  assert.deepEqual(commandsOf(jobs['coverage']), ['npm run test:unit -- --coverage']);
  assert.match(commandsOf(jobs['deno']).join(), /^npm test -- --deno /);
  assert.deepEqual(commandsOf(jobs['docs']), ['npm run docs']);
  assert.match(
    commandsOf(jobs['image']).join('\n'),
    /docker build --file deploy\/Dockerfile .*\n.*compose-secrets\.ts\n.* config --quiet\n.* up --detach\n/,
  );
  const all = Object.values(jobs).flatMap(commandsOf).join('\n');
  for (const [command, script = ''] of `${read('.ci/run')}\n${all}`.matchAll(
    /npm (?:run )?([\w:]+)/g,
  ))
    assert.ok(scripts[script], `${command} is not a script of package.json`);
  for (const [path] of all.matchAll(/(?:deploy|test)\/[\w./-]+/g))
    assert.ok(existsSync(join(root, path)), path);
});

test('jobs that run all checks and tests have the Git history that two of them need', () => {
  const jobs = files
    .flatMap((file) => Object.values((parse(read(file)) as Workflow).jobs))
    .filter((job) => commandsOf(job).includes('.ci/run'));
  assert.equal(jobs.length, 2);
  for (const { steps } of jobs)
    assert.equal(
      steps.find(({ uses }) => uses?.startsWith('actions/checkout@'))?.with?.['fetch-depth'],
      0,
    );
});

test('a release is checked first, then built for two architectures on both runtimes, signed and attested', () => {
  const { on, jobs } = workflow('release');
  assert.deepEqual(Object.keys(on), ['push']);
  assert.equal(on.push.tags?.length, 1);
  assert.deepEqual(
    Object.entries(jobs).map(([name, { needs }]) => [name, needs]),
    [
      ['check', undefined],
      ['image', 'check'],
      ['chart', 'image'],
      ['release', 'chart'],
    ],
  );
  assert.ok(commandsOf(jobs['check']).includes('.ci/run'));
  const { stages } = readDockerfile();
  const targets = jobs['image']?.strategy?.matrix.include.map(({ target }) => target) ?? [];
  assert.deepEqual(targets, ['release', 'deno']);
  for (const target of targets) assert.ok(stages.has(target), target);
  const build =
    jobs['image']?.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'))?.with ??
    {};
  assert.equal(build['platforms'], 'linux/amd64,linux/arm64');
  assert.deepEqual([build['sbom'], build['provenance']], [true, 'mode=max']);
  for (const argument of String(build['build-args'])
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0] ?? '')) {
    assert.ok(
      argument.startsWith('BUILDKIT_') ||
        new RegExp(`^ARG ${argument}=`, 'm').test(read('deploy/Dockerfile')),
      argument,
    );
  }
  for (const name of ['image', 'chart']) {
    assert.ok(
      commandsOf(jobs[name]).some((command) => command.startsWith('cosign sign --yes ')),
      name,
    );
    assert.equal(jobs[name]?.permissions?.['id-token'], 'write', name);
  }
  for (const name of ['image', 'chart', 'release'])
    assert.ok(
      jobs[name]?.steps.some(({ uses }) => uses?.startsWith('actions/attest-build-provenance@')),
      name,
    );
});

test('a released chart names the image that was released with it', async (t) => {
  const publishing =
    commandsOf(workflow('release').jobs['chart']).find((command) =>
      command.includes('helm package'),
    ) ?? assert.fail('no such step');
  const [before = ''] = publishing.split('helm package');
  const folder = temporaryFolder(t);
  const values = 'helm/bailiwick/values.yaml';
  mkdirSync(join(folder, dirname(values)), { recursive: true });
  cpSync(join(root, values), join(folder, values));
  const prepare = () =>
    run('bash', ['-euo', 'pipefail', '-c', before], {
      cwd: folder,
      env: { ...process.env, PLACE: 'registry.example.com/team' },
    });
  await prepare();
  const { image } = parse(readFileSync(join(folder, values), 'utf8')) as {
    image: { repository: string };
  };
  assert.equal(image.repository, 'registry.example.com/team/bailiwick');
  writeFileSync(
    join(folder, values),
    read(values).replace('  repository: bailiwick\n', '  repository: other\n'),
  );
  await assert.rejects(prepare());
});

/** A copy of the files that name the version, with the changes. */
function copyOf(t: TestContext, changes: Record<string, (text: string) => string>): string {
  const folder = temporaryFolder(t);
  const named = globSync(
    [
      'package.json',
      '{proto,gateway,deploy,site}/package.json',
      'services/*/package.json',
      'packages/*/package.json',
    ],
    { cwd: root },
  );
  for (const file of [...named, 'helm/bailiwick/Chart.yaml', 'deploy/Dockerfile', 'CHANGELOG.md']) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
    const change = changes[file];
    if (change) writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')));
  }
  return folder;
}

const released = (text: string) =>
  text.replace(
    '## [Unreleased]\n',
    '## [Unreleased]\n\n## [0.1.0] - 2026-11-21\n\n### Added\n\n- The first one.\n\n## [0.0.9] - 2026-01-01\n',
  );

test('the notes of a release are its section of the changelog', (t) => {
  assert.equal(
    releaseNotes('v0.1.0', copyOf(t, { 'CHANGELOG.md': released })),
    '### Added\n\n- The first one.',
  );
});

test('a release without notes or with inconsistent names is rejected with all problems', (t) => {
  const wrong = copyOf(t, {
    'helm/bailiwick/Chart.yaml': (text) => text.replace(/^appVersion: .*$/m, 'appVersion: 0.2.0'),
    'services/access/package.json': (text) => text.replace('"0.1.0"', '"0.0.9"'),
  });
  assert.throws(
    () => releaseNotes('v0.1.0', wrong),
    /services\/access\/package\.json has version 0\.0\.9\n.*appVersion has version 0\.2\.0\n.*CHANGELOG\.md has no section/s,
  );
  for (const tag of ['0.1.0', 'v0.1', 'v0.1.0-rc.1', ''])
    assert.throws(() => releaseNotes(tag, root), /is not a tag/);
  assert.throws(
    () => releaseNotes('v0.2.0', copyOf(t, { 'CHANGELOG.md': released })),
    /package\.json has version 0\.1\.0/,
  );
});
