import { parseArgs } from 'node:util';

// What a run is told, and what it makes of the cluster it finds.

export type Options = { image: string | undefined; context: string | undefined };

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: { image: { type: 'string' }, context: { type: 'string' } },
  });
  return { image: values.image, context: values.context };
}

/** How the image of this machine's Docker gets into a cluster: by a command, by nothing at all, or it has to be pulled. */
export type Way = { command: string; args: readonly string[] } | 'shared' | 'pulled';

/** Clusters on this machine are known by the names that their tools give to contexts. */
export function wayInto(context: string, image: string): Way {
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

/** Why this run must not touch the cluster. One on this machine is there to be tried on; any other has to be named. */
export function refusal(current: string, { image, context }: Options): string | undefined {
  if (wayInto(current, '') !== 'pulled') return undefined;
  if (context === undefined)
    return `${current} is no cluster on this machine that is known here: name it with --context ${current}, if it is the right one`;
  if (image === undefined)
    return `${current} cannot be given an image of this machine: name one that it can pull with --image`;
  return undefined;
}

/** The values that name an image: repository:tag, or repository@digest. Without either it is Docker's `latest`. */
function imageValues(image: string): string[] {
  const [repository = '', digest] = image.split('@');
  if (digest !== undefined) return [`image.repository=${repository}`, `image.digest=${digest}`];
  const [, name = repository, tag = 'latest'] = /^(.+):([^/:]+)$/.exec(repository) ?? [];
  return [`image.repository=${name}`, `image.tag=${tag}`];
}

/** Everything included, and no disk that would outlive the release. */
export const installValues = (image: string, publicUrl: string): string[] => [
  'evaluation.enabled=true',
  'evaluation.persistence=false',
  `publicUrl=${publicUrl}`,
  ...imageValues(image),
];

/** Every process reads it, so that it replaces the pods of every workload, and neither the database's nor the broker's. */
export const rollingValue = 'config.host=0.0.0.0';
