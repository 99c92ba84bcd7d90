import { parseArgs } from 'node:util';

// The arguments of a run, and its decisions for the cluster that it finds.

export type Options = {
  image: string | undefined;
  context: string | undefined;
  previousImage: string | undefined;
  denoImage: string | undefined;
  /** The names of scenarios; all of them if empty. */
  scenarios: readonly string[];
};

export function readOptions(args: readonly string[], scenarios: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      image: { type: 'string' },
      context: { type: 'string' },
      'previous-image': { type: 'string' },
      'deno-image': { type: 'string' },
    },
  });
  for (const name of positionals)
    if (!scenarios.includes(name))
      throw new Error(`there is no scenario ${name}, but ${scenarios.join(', ')}`);
  return {
    image: values.image,
    context: values.context,
    previousImage: values['previous-image'],
    denoImage: values['deno-image'],
    scenarios: positionals,
  };
}

/**
 * How an image of this machine's Docker gets into a cluster: by a command, shared with Docker, or
 * pulled from a registry.
 */
export type Transfer = { command: string; args: readonly string[] } | 'shared' | 'pulled';

/** Local clusters are recognised by the context names that their tools create. */
export function transferFor(context: string, image: string): Transfer {
  const [, tool, name = ''] = /^(kind|k3d)-(.+)$/.exec(context) ?? [];
  if (tool === 'kind')
    return { command: 'kind', args: ['load', 'docker-image', image, '--name', name] };
  if (tool === 'k3d')
    return { command: 'k3d', args: ['image', 'import', image, '--cluster', name] };
  if (context === 'minikube') return { command: 'minikube', args: ['image', 'load', image] };
  return ['docker-desktop', 'orbstack', 'rancher-desktop', 'colima'].includes(context)
    ? 'shared'
    : 'pulled';
}

/**
 * The reason why this run must not use the cluster. A local cluster is for tests; any other must be
 * named.
 */
export function refusal(
  current: string,
  { image, context }: Pick<Options, 'image' | 'context'>,
): string | undefined {
  if (transferFor(current, '') !== 'pulled') return undefined;
  if (context === undefined)
    return `${current} is not a known local cluster: name it with --context ${current} to use it`;
  if (image === undefined)
    return `${current} cannot get an image of this machine: name one that it can pull with --image`;
  return undefined;
}

/**
 * The values for an image: repository:tag, or repository@digest. Without tag and digest it is
 * Docker's `latest`.
 */
export function imageValues(image: string): string[] {
  const [repository = '', digest] = image.split('@');
  if (digest !== undefined) return [`image.repository=${repository}`, `image.digest=${digest}`];
  const [, name = repository, tag = 'latest'] = /^(.+):([^/:]+)$/.exec(repository) ?? [];
  return [`image.repository=${name}`, `image.tag=${tag}`];
}

/** So that two pods of every workload fit on a node of two CPUs. */
export const smallRequests = [
  'defaults.resources.requests.cpu=50m',
  'migrations.resources.requests.cpu=50m',
];

/** Everything included; without disks, unless it is asked for them. */
export const evaluationValues = (
  image: string,
  publicUrl: string,
  { persistence = false } = {},
): string[] => [
  'evaluation.enabled=true',
  `evaluation.persistence=${persistence}`,
  `publicUrl=${publicUrl}`,
  ...smallRequests,
  ...imageValues(image),
];

/**
 * A setting that every process reads, so that changing it replaces the pods of every workload, but
 * not those of database and broker.
 */
export const rollingValue = 'config.host=0.0.0.0';
