import { assertEdges } from '../edges.ts';
import { assertHardened } from '../hardening.ts';
import { assertKeyless } from '../keyless.ts';
import { loadValues, startLoad, summary } from '../load.ts';
import { evaluationValues, rollingValue } from '../options.ts';
import { openRelease } from '../release.ts';
import type { Lab, Outcome } from './lab.ts';

/** Everything included: the main job, the pods, the policies, an upgrade of values and a rollback. */
export async function tryEvaluation({ cluster, images, say }: Lab): Promise<Outcome> {
  const release = await openRelease(cluster);
  const values = [
    ...evaluationValues(images.current, release.url),
    ...loadValues(cluster.namespace),
  ];
  say(`installed, every pod ready in ${await release.install(values)} s`);
  const owner = await release.use((stack, { token, tenant }) =>
    assertKeyless({ name: cluster.namespace, kubectl: cluster.kubectl }, stack, { token, tenant }),
  );
  say('the main job works, and a ServiceAccount has got a token of a bot');
  await release.test();
  say('helm test passes');
  say(`${await assertHardened(cluster)} pods are hardened`);
  const { tried, open } = await assertEdges(cluster, images.current);
  say(`of ${tried} connections, exactly the ${open} needed ones are open`);

  const load = await startLoad(release, images.current, owner);
  await release.upgrade([...values, rollingValue]);
  say(`upgraded: ${summary(await load.counts())}`);
  await release.rollback();
  say(`rolled back: ${summary(await load.counts())}`);
  say(`in all: ${summary(await load.finish())}`);
  await release.uninstall();
  say('uninstalled, nothing remains');
  return 'passed';
}
