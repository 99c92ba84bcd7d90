import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { findTool, run } from '../tools/go.ts';
import { findPrevious } from '../upgrade/versions.ts';
import { assertCapacity } from './capacity.ts';
import { type Options, readOptions, refusal, transferFor } from './options.ts';
import type { Images, Outcome } from './scenarios/lab.ts';
import { scenarios } from './scenarios.ts';
import { findContext, openCluster, say } from './tools.ts';

// npm run test:cluster: tests the chart on a cluster, each scenario in namespaces of its own, which it removes afterwards.
//
//   npm run test:cluster                                             all scenarios on the current context, if it is a local cluster; builds the images
//   npm run test:cluster -- evaluation production                    some of them
//   npm run test:cluster -- --image bailiwick:0.1.0                  with an existing image
//   npm run test:cluster -- --previous-image b:0 --deno-image b:1    also the upgrade, and the image on Deno
//   npm run test:cluster -- --context test --image example.com/b:1   another cluster, which pulls that image

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), Object.keys(scenarios));
  const cluster = await findContext(options.context);
  if ('reason' in cluster) {
    if (options.context !== undefined) throw new Error(`no cluster answers: ${cluster.reason}`);
    say(`NOT TESTED ON KUBERNETES: no cluster answers (${cluster.reason})`);
    return 0;
  }
  const refused = refusal(cluster.context, options);
  if (refused !== undefined) throw new Error(refused);
  const helm = await findTool('helm');
  if (helm.command === undefined) throw new Error(helm.reason);
  const place = { context: cluster.context, helm: helm.command };
  await assertCapacity(openCluster({ ...place, namespace: 'default' }));
  const chosen = options.scenarios.length > 0 ? options.scenarios : Object.keys(scenarios);
  const outcomes: Array<Outcome | 'failed'> = [];
  try {
    const images = await findImages(options);
    for (const image of Object.values(images)) await load(cluster.context, image);
    for (const name of chosen) outcomes.push(await runScenario(name, place, images));
  } finally {
    if (built.length > 0)
      await run('docker', ['image', 'rm', ...built]).catch((error: unknown) =>
        say(`NOT REMOVED: ${built.join(', ')}. ${String(error)}`),
      );
  }
  const count = (outcome: Outcome | 'failed') => outcomes.filter((one) => one === outcome).length;
  say(`${count('passed')} passed, ${count('failed')} failed, ${count('not tested')} NOT TESTED`);
  // A scenario that was asked for by name has to run.
  const isBad = options.scenarios.length > 0 && count('not tested') > 0;
  return count('failed') > 0 || isBad ? 1 : 0;
}

async function runScenario(
  name: string,
  place: { context: string; helm: string },
  images: Images,
): Promise<Outcome | 'failed'> {
  const began = Date.now();
  const tell = (line: string) =>
    say(`${name}, ${Math.round((Date.now() - began) / 1000)} s: ${line}`);
  const id = randomBytes(3).toString('hex');
  const opened: string[] = [];
  const open = async (namespace: string) => {
    const cluster = openCluster({ ...place, namespace });
    opened.push(namespace);
    await cluster.kubectl('create', 'namespace', namespace);
    const profile = 'pod-security.kubernetes.io/enforce=restricted';
    await cluster.kubectl('label', 'namespace', namespace, profile);
    return cluster;
  };
  const cluster = openCluster({ ...place, namespace: 'default' });
  try {
    const scenario = scenarios[name];
    if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
    const outcome = await scenario({
      cluster: await open(`bailiwick-test-${id}`),
      images,
      beside: (suffix) => open(`bailiwick-test-${id}-${suffix}`),
      say: tell,
    });
    tell(outcome);
    return outcome;
  } catch (error) {
    tell(`FAILED: ${error instanceof Error ? error.stack : String(error)}`);
    for (const namespace of opened) {
      const here = openCluster({ ...place, namespace });
      say(await here.kubectl('get', 'pods,events', '--output', 'wide').catch(String));
    }
    return 'failed';
  } finally {
    if (opened.length > 0)
      await cluster
        .kubectl('delete', 'namespace', ...opened, '--wait')
        .catch((error: unknown) => tell(`NOT REMOVED: ${opened.join(', ')}. ${String(error)}`));
  }
}

/** The images that are named. Without names all are built. */
async function findImages({ image, previousImage, denoImage }: Options): Promise<Images> {
  const builds = image === undefined;
  return {
    current: image ?? (await buildImage(root)),
    previous: previousImage ?? (builds ? await buildPrevious() : undefined),
    deno: denoImage ?? (builds ? await buildImage(root, 'deno') : undefined),
  };
}

/** Images that this run has built and removes from this machine again. */
const built: string[] = [];

async function buildImage(tree: string, target = 'release'): Promise<string> {
  const image = `bailiwick:test-${randomBytes(3).toString('hex')}`;
  say(`building ${image} …`);
  const what = ['--file', 'deploy/Dockerfile', '--target', target, '--tag', image];
  await run('docker', ['build', ...what, '.'], {
    cwd: tree,
    maxBuffer: 1 << 28,
  });
  built.push(image);
  return image;
}

async function buildPrevious(): Promise<string | undefined> {
  const { tree } = await findPrevious();
  return tree === undefined ? undefined : buildImage(tree);
}

/** Brings an image of this machine's Docker into the cluster, if that needs a command. */
async function load(context: string, image: string | undefined): Promise<void> {
  const transfer = image === undefined ? 'pulled' : transferFor(context, image);
  if (typeof transfer === 'object') await run(transfer.command, [...transfer.args]);
}

process.exit(await main());
