import assert from 'node:assert/strict';
import { assertRestricted } from '../chart/restricted.ts';
import type { Cluster, RunningPod } from './tools.ts';

// Tries in running pods the actions that their manifests forbid.

/** Tries to write to the root file system, and looks for a token and for a shell. */
const attempt = `
const fs = require('node:fs');
const attempts = {
  root: () => fs.writeFileSync('/written', ''),
  app: () => fs.writeFileSync('/app/written', ''),
  token: () => fs.readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/token'),
  shell: () => fs.accessSync('/bin/sh'),
  packageManager: () => fs.accessSync('/usr/local/bin/npm'),
};
const done = Object.keys(attempts).filter((name) => { try { attempts[name](); return true; } catch { return false; } });
console.log(JSON.stringify({ uid: process.getuid(), done }));
`;

/** The database of an evaluation runs as a user of its own. */
const postgresUser = { user: 70, group: 70 };

const componentOf = ({ metadata }: RunningPod) => metadata.labels['app.kubernetes.io/component'];

/**
 * Asserts for every pod of the namespace that it fulfils `restricted` as the API server stored it,
 * and has not restarted; and for those that run Node, what a process in it can do.
 *
 * @returns the number of pods
 */
export async function assertHardened(cluster: Cluster): Promise<number> {
  const pods = (await cluster.pods()).filter(({ status }) => status.phase === 'Running');
  for (const pod of pods) {
    const component = componentOf(pod);
    const { name } = pod.metadata;
    assertRestricted(pod, name, component === 'postgres' ? postgresUser : undefined);
    const restarts = pod.status.containerStatuses?.map(({ restartCount }) => restartCount);
    assert.deepEqual(restarts, [0], `${name}: restarts`);
    if (component === 'postgres' || component === 'nats') continue;
    const output = await cluster.kubectl('exec', name, '--', 'node', '--eval', attempt);
    assert.deepEqual(JSON.parse(output), { uid: 65532, done: [] }, name);
  }
  return pods.length;
}
