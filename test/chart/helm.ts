import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { cacheDir, root } from '@bailiwick/deploy/local/paths.ts';
import { parse, parseAllDocuments } from 'yaml';
import { findTool, run } from '../tools/go.ts';
import type { Manifest } from './manifests.ts';

/** The oldest Kubernetes that the chart supports, and the newest one in the tests. */
export const kubernetes = { oldest: '1.29.15', newest: '1.37.1' } as const;

export const chartDir = join(root, 'helm/bailiwick');

/** The chart's value files: the minimum, the evaluation, and every value set. */
export const valueFiles = {
  minimal: 'values-minimal.yaml',
  evaluation: 'ci/evaluation-values.yaml',
  full: 'ci/full-values.yaml',
} as const;

/** Every value file of the chart, by its path. */
export const scenarios: readonly string[] = globSync(['values-*.yaml', 'ci/*-values.yaml'], {
  cwd: chartDir,
}).sort();

export type Values = {
  /** One of valueFiles, or the path of a file in the chart. */
  file?: string;
  set?: readonly string[];
  /** Values that `set` cannot express, such as an empty list. */
  json?: readonly string[];
  release?: string;
  namespace?: string;
  /** Makes an evaluation's secrets, as a rendering without a cluster must ask for. Default: true */
  newSecrets?: boolean;
  /** The cluster that the rendering reads. Default: none */
  kubeconfig?: string;
  /** Another chart instead of this project's. */
  chart?: string;
};

/** Tests of the chart: `skip` goes into their options. It holds the reason if there is no helm. */
export async function openChart() {
  const tool = await findTool('helm');
  const helm = (args: readonly string[]) =>
    run(tool.command ?? '', [...args], { env: helmEnvironment(), maxBuffer: 1 << 26 }).then(
      ({ stdout }) => stdout,
    );
  const once = new Map<string, Promise<string>>();
  return {
    skip: tool.command === undefined ? tool.reason : false,
    /** The text of a rendering. */
    template(values: Values = {}): Promise<string> {
      const cluster =
        values.kubeconfig === undefined
          ? []
          : ['--dry-run=server', '--kubeconfig', values.kubeconfig];
      const place = [
        values.release ?? 'bailiwick',
        values.chart ?? chartDir,
        '--namespace',
        values.namespace ?? 'test',
        '--kube-version',
        kubernetes.oldest,
        ...cluster,
      ];
      return helm(['template', ...place, ...valueArguments(values)]);
    },
    /**
     * All objects of a rendering. An evaluation is rendered again each time, because its secrets
     * are random.
     */
    async render(values: Values = {}): Promise<Manifest[]> {
      const key = JSON.stringify(values);
      const isRandom = /evaluation|single|ci.(compact|moving)/.test(key);
      const text = isRandom ? this.template(values) : (once.get(key) ?? this.template(values));
      once.set(key, text);
      return objectsIn(await text);
    },
    /** The error message of a failed rendering. */
    async refusal(values: Values): Promise<string> {
      return this.template(values).then(
        () => {
          throw new Error(`the rendering was expected to fail: ${JSON.stringify(values)}`);
        },
        (error: { stderr?: string; message: string }) => error.stderr ?? error.message,
      );
    },
    lint: (values: Values) =>
      helm([
        'lint',
        chartDir,
        '--strict',
        '--kube-version',
        kubernetes.oldest,
        ...valueArguments(values),
      ]),
  };
}

export const objectsIn = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document): unknown => document.toJS())
    .filter((object): object is Manifest => object !== null);

function valueArguments({ file, set = [], json = [], newSecrets = true }: Values): string[] {
  const path =
    file === undefined ? undefined : (valueFiles[file as keyof typeof valueFiles] ?? file);
  const named = path === undefined ? [] : ['--values', join(chartDir, path)];
  return [
    ...named,
    ...(newSecrets ? ['--set', 'evaluation.newSecrets=true'] : []),
    ...set.flatMap((one) => ['--set', one]),
    ...json.flatMap((one) => ['--set-json', one]),
  ];
}

/** How a value file configures the release. */
export function readScenario(file: string) {
  type Choices = {
    mode?: string;
    migrations?: { mode?: string };
    evaluation?: { enabled?: boolean };
  };
  const {
    mode = 'services',
    migrations,
    evaluation,
  } = parse(readFileSync(join(chartDir, file), 'utf8')) as Choices;
  return {
    mode,
    migrations: migrations?.mode ?? 'job',
    isEvaluation: evaluation?.enabled ?? false,
  };
}

/**
 * Without the user's plugins and repositories and without a cluster, so that a rendering depends on
 * the chart alone.
 */
function helmEnvironment(): NodeJS.ProcessEnv {
  const own = join(cacheDir, 'helm');
  return {
    PATH: process.env['PATH'],
    HELM_CACHE_HOME: own,
    HELM_CONFIG_HOME: own,
    HELM_DATA_HOME: own,
    KUBECONFIG: join(own, 'none'),
  };
}
