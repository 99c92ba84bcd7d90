import path from 'node:path';
import { findPrevious } from '../../upgrade/versions.ts';
import { startLoad, summary } from '../load.ts';
import { imageValues } from '../options.ts';
import { startStores } from '../outside-stores.ts';
import { openRelease } from '../release.ts';
import { secretsFor, valuesWith } from '../secrets.ts';
import type { Lab, Outcome } from './lab.ts';

/** From the previous version's chart and image to this one, and back, under load. */
export async function tryUpgrade({ cluster, images, beside, say }: Lab): Promise<Outcome> {
  const { tree, skip } = await findPrevious();
  if (images.previous === undefined || tree === undefined) {
    say(skip || 'NOT TESTED: AN UPGRADE BETWEEN VERSIONS. --previous-image names an image');
    return 'not tested';
  }
  const outside = await beside('stores');
  const stores = await startStores(outside, images.current);
  const release = await openRelease(cluster, {
    inboxNamespace: outside.namespace,
    chart: path.join(tree, 'helm/bailiwick'),
  });
  await cluster.apply(await secretsFor(stores, cluster.namespace));
  const values = [...valuesWith(stores, release), ...imageValues(images.previous)];
  say(`the previous version is ready in ${await release.install(values)} s`);
  const load = await startLoad(release, images.current, await release.use());
  await release.upgrade(imageValues(images.current), '--reuse-values');
  say(`upgraded with --reuse-values: ${summary(await load.counts())}`);
  await release.rollback();
  say(`rolled back: ${summary(await load.counts())}`);
  await release.upgrade(imageValues(images.current), '--reset-then-reuse-values');
  say(`upgraded again with --reset-then-reuse-values: ${summary(await load.counts())}`);
  say(`in all: ${summary(await load.finish())}`);
  await release.use();
  say('the main job works after the upgrade');
  await release.uninstall();
  say('uninstalled, nothing remains');
  return 'passed';
}
