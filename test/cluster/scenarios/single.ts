import { setTimeout as sleep } from 'node:timers/promises';
import { startLoad, summary } from '../load.ts';
import { imageValues } from '../options.ts';
import { startStores } from '../outside-stores.ts';
import { openRelease } from '../release.ts';
import { secretsFor, valuesWith } from '../secrets.ts';
import type { Lab, Outcome } from './lab.ts';

/** How long the load goes on after a restart. */
const afterMs = 10_000;

/**
 * Everything in one process, with the database, the broker and the mail server of another namespace;
 * then the same data in one process on Deno.
 */
export async function trySingle({ cluster, images, beside, say }: Lab): Promise<Outcome> {
  const outside = await beside('stores');
  const stores = await startStores(outside, images.current);
  const release = await openRelease(cluster, { inboxNamespace: outside.namespace });
  await cluster.apply(await secretsFor(stores, cluster.namespace));
  const tryImage = async (runtime: string, image: string) => {
    const values = [
      ...valuesWith(stores, release),
      ...imageValues(image),
      'mode=single',
      // Longer than a new pod needs until it is ready, so that the only one can be deleted.
      'services.gateway.preDrainSeconds=40',
      'services.gateway.terminationGracePeriodSeconds=75',
    ];
    say(`one process on ${runtime} is ready in ${await release.install(values)} s`);
    const owner = await release.use();
    await release.test();
    say('helm test passes');
    const load = await startLoad(release, images.current, owner);
    await cluster.kubectl('rollout', 'restart', 'deployment/bailiwick-gateway');
    await cluster.kubectl('rollout', 'status', 'deployment/bailiwick-gateway', '--timeout=180s');
    await sleep(afterMs);
    await cluster.kubectl('delete', 'pod', '--selector=app.kubernetes.io/component=gateway');
    await cluster.kubectl('rollout', 'status', 'deployment/bailiwick-gateway', '--timeout=180s');
    await sleep(afterMs);
    say(`restarted, and its pod deleted: ${summary(await load.finish())}`);
    await release.uninstall();
  };
  await tryImage('Node', images.current);
  if (images.deno === undefined) {
    say('NOT TESTED: the Deno image. --deno-image names one');
    return 'not tested';
  }
  await tryImage('Deno', images.deno);
  return 'passed';
}
