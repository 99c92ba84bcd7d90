import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { parse } from 'yaml';

// Runs the steps of the GitHub action and the scripts of the GitLab template as they are written, with bash, git and bailiwick.

const root = path.resolve(import.meta.dirname, '../..');
const main = path.join(root, 'packages/cli/main.ts');
const read = (file: string) => readFileSync(path.join(root, 'deploy/forge', file), 'utf8');

export type Outcome = { code: number; output: string };
type Variables = Readonly<Record<string, string>>;

/** A place for repositories and jobs, with bailiwick on the PATH. */
export function createRunner(folder: string) {
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(
    path.join(bin, 'bailiwick'),
    `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`,
  );
  chmodSync(path.join(bin, 'bailiwick'), 0o755);
  // Not the variables of this process: a job has its own only.
  const base = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    XDG_CONFIG_HOME: path.join(folder, 'config'),
    no_proxy: loopback,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  return {
    async run(
      command: readonly [string, ...string[]],
      cwd: string,
      env: Variables = {},
    ): Promise<Outcome> {
      const [program, ...args] = command;
      const options = { cwd, env: { ...base, ...env }, timeout: 120_000 };
      try {
        const { stdout, stderr } = await promisify(execFile)(program, args, options);
        return { code: 0, output: stdout + stderr };
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
        if (typeof code !== 'number') throw error;
        return { code, output: stdout + stderr };
      }
    },
  };
}

type Runner = ReturnType<typeof createRunner>;

type Action = {
  inputs: Record<string, { default?: string; required?: boolean }>;
  runs: {
    using: string;
    steps: Array<{ name: string; if?: string; env?: Variables; run: string; shell: string }>;
  };
};

export const action = parse(read('github/action.yml')) as Action;

/** The names that GitHub's expressions can use in the action. */
type Github = { event_name: string; ref: string; token: string; event: object };

/** The value of an expression. Those of the action are JavaScript too, but for names with a hyphen. */
function evaluate(expression: string, github: Github, inputs: Variables): unknown {
  const format = (text: string, argument: string) => text.replace('{0}', argument);
  const code = expression.replaceAll(/inputs\.([\w-]+)/g, 'inputs["$1"]');
  return runInNewContext(code, { github, inputs, format });
}

const interpolate = (text: string, github: Github, inputs: Variables): string =>
  text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) =>
    String(evaluate(expression, github, inputs)),
  );

type ActionRun = { github: Github; inputs: Variables; env: Variables; cwd: string };

/** Runs the action's steps until one fails, as GitHub does. */
export async function runAction(
  runner: Runner,
  { github, inputs: actionInputs, env, cwd }: ActionRun,
): Promise<Outcome> {
  const defaults = Object.entries(action.inputs).map(([name, input]) => [
    name,
    interpolate(input.default ?? '', github, {}),
  ]);
  const inputs = { ...(Object.fromEntries(defaults) as Variables), ...actionInputs };
  let output = '';
  for (const step of action.runs.steps) {
    const condition = /^\$\{\{(.*)\}\}$/.exec(step.if ?? '${{ true }}')?.[1] ?? '';
    if (evaluate(condition, github, inputs) !== true) continue;
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [
      name,
      interpolate(value, github, inputs),
    ]);
    const script = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run] as const;
    const outcome = await runner.run(script, cwd, { ...env, ...Object.fromEntries(own) });
    output += outcome.output;
    if (outcome.code !== 0) return { code: outcome.code, output };
  }
  return { code: 0, output };
}

type Job = {
  rules: Array<{ if: string }>;
  id_tokens: Record<string, { aud: string }>;
  variables: Variables;
  before_script: string[];
  script: string[];
};

const [header = '', body = ''] = read('gitlab/bailiwick.yml').split(/^---$/m);
export const templateInputs = (
  parse(header) as { spec: { inputs: Record<string, { default?: string | boolean }> } }
).spec.inputs;

/** The job of the template with these inputs. */
export function gitlabJobOf(name: string, values: Variables): Job {
  const text = body.replaceAll(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, input: string) =>
    String(values[input] ?? templateInputs[input]?.default ?? ''),
  );
  const jobs = parse(text) as Record<string, Job>;
  const [shared, own] = [jobs['.bailiwick'], jobs[name]];
  return { ...shared, ...own, variables: { ...shared?.variables, ...own?.variables } } as Job;
}

/** Whether a rule of the job adds it to a pipeline with these variables. */
export const isInPipeline = ({ rules }: Job, variables: Variables): boolean =>
  rules.some(({ if: rule }) =>
    rule.split(' && ').every((part) => {
      const [left = '', right = ''] = part
        .split(' == ')
        .map((side) =>
          side.startsWith('$') ? (variables[side.slice(1)] ?? '') : side.replaceAll('"', ''),
        );
      return left === right;
    }),
  );

type JobRun = { job: Job; tokenFor: (audience: string) => string; env: Variables; cwd: string };

/** Runs a job, with the tokens that GitLab would issue. */
export function runJob(runner: Runner, { job, tokenFor, env, cwd }: JobRun): Promise<Outcome> {
  const tokens = Object.entries(job.id_tokens).map(([name, { aud }]) => [name, tokenFor(aud)]);
  const script = [...job.before_script, ...job.script].join('\n');
  const command = ['bash', '-eo', 'pipefail', '-c', script] as const;
  return runner.run(command, cwd, { ...job.variables, ...env, ...Object.fromEntries(tokens) });
}
