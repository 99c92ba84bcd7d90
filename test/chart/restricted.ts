import assert from 'node:assert/strict';
import type { Pod } from './manifests.ts';

/** Asserts Pod Security's profile `restricted`, and this project's further requirements. */
export function assertRestricted(
  { spec }: Pod,
  name: string,
  { user = 65532, group = 65532 } = {},
): void {
  assert.equal(spec.automountServiceAccountToken, false, name);
  assert.equal(
    spec.enableServiceLinks,
    false,
    `${name}: a Service named bailiwick-x would set variables that no process knows`,
  );
  for (const setting of ['hostNetwork', 'hostPID', 'hostIPC', 'hostUsers'])
    assert.ok(!(setting in spec), `${name}: ${setting}`);
  const { runAsNonRoot, runAsUser, runAsGroup, seccompProfile } = spec.securityContext ?? {};
  assert.deepEqual(
    { runAsNonRoot, runAsUser, runAsGroup },
    { runAsNonRoot: true, runAsUser: user, runAsGroup: group },
    name,
  );
  assert.deepEqual(seccompProfile, { type: 'RuntimeDefault' }, name);
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  for (const container of containers) {
    const expected = {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    };
    assert.deepEqual(container.securityContext, expected, name);
    assert.ok(!container.ports?.some((port) => 'hostPort' in port), `${name}: a port of the node`);
    assert.ok(
      container.resources?.requests?.['memory'] ?? container.resources?.limits?.['memory'],
      `${name}: resources`,
    );
  }
  const volumes = new Set(spec.volumes.map((volume) => volume.name));
  const mounted = new Set(
    containers.flatMap(({ volumeMounts }) => volumeMounts.map((mount) => mount.name)),
  );
  assert.deepEqual(mounted, volumes, `${name}: the mounts and the volumes match`);
  const kinds = spec.volumes.flatMap((volume) =>
    Object.keys(volume).filter((key) => key !== 'name'),
  );
  for (const kind of kinds)
    assert.ok(
      ['emptyDir', 'projected', 'secret', 'configMap', 'persistentVolumeClaim'].includes(kind),
      `${name}: ${kind}`,
    );
}
