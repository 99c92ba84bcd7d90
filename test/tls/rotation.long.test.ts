import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { toServiceError } from '@bailiwick/errors';
import type { Material } from '@bailiwick/process';
import { eventually } from '../support/harness.ts';
import { type Authority, createAuthority } from './authority.ts';
import { callWhile, clientOf, type End, openEnd, serve, wires } from './ends.ts';

// Certificates and their CA are replaced while processes call each other: no call fails, and none
// is processed twice.

let old: Authority;
let next: Authority;
before(async () => {
  [old, next] = await Promise.all([createAuthority(), createAuthority()]);
});

/** Replaces the files of an end, and waits until it has reloaded them. */
async function replace(end: End, material: Material): Promise<void> {
  const countReloads = () => end.lines.filter((line) => line.includes('reloaded')).length;
  const before = countReloads();
  end.replace(material);
  await eventually('the new certificate', () => Promise.resolve(countReloads() > before));
}

for (const wire of wires) {
  test(`a new certificate and then a new CA are reloaded under load over ${wire}, and every call is processed exactly once`, async (t) => {
    const [server, client] = [
      openEnd(t, { ...(await old.issue()), ca: old.ca }),
      openEnd(t, { ...(await old.issue()), ca: old.ca }),
    ];
    const service = await serve(t, server);
    const replaceBoth = async (authority: Authority, ca: string) =>
      Promise.all(
        [server, client].map(async (end) => replace(end, { ...(await authority.issue()), ca })),
      );
    const result = await callWhile(clientOf(t, wire, client, service), service, async () => {
      await replaceBoth(old, old.ca);
      // Trust the new CA before any certificate of it is in use, and the old CA until none of it is
      // in use.
      await replaceBoth(old, old.ca + next.ca);
      await replaceBoth(next, old.ca + next.ca);
      await replaceBoth(next, next.ca);
      await sleep(500);
    });
    assert.deepEqual([result.failures, result.notOnce], [[], []]);
    assert.equal(result.processed, result.calls);
    assert.ok(result.calls > 100, String(result.calls));
    assert.deepEqual([...server.warnings(), ...client.warnings()], []);

    const late = clientOf(t, wire, openEnd(t, { ...(await old.issue()), ca: next.ca }), service);
    const failure = await late
      .save({ group: { tenant: 't', path: 'late' } }, { timeoutMs: 1000 })
      .then(() => assert.fail('the old CA is trusted'), toServiceError);
    assert.equal(failure.code, 'unavailable');
  });
}

test('incomplete files are ignored, with one line in the log, until they are complete', async (t) => {
  const [first, second] = [
    { ...(await old.issue()), ca: old.ca },
    { ...(await old.issue()), ca: old.ca },
  ];
  const end = openEnd(t, first);
  const service = await serve(t, end);
  const client = openEnd(t, { ...(await old.issue()), ca: old.ca });
  const half = (pem: string) => pem.slice(0, pem.length / 2);
  for (const broken of [
    { ...second, key: first.key },
    { ...second, cert: half(second.cert) },
    { ...second, key: half(second.key) },
    { ...second, ca: old.ca + half(next.ca) },
    { ...second, cert: '' },
    { ...(await old.issue({ uses: ['server'] })), ca: old.ca },
  ]) {
    end.replace(broken);
    // Longer than it takes to see a change and to read it again.
    await sleep(3500);
    assert.deepEqual(end.tls?.current(), trimmed(first));
    await clientOf(t, 'http', client, service).save({ group: { tenant: 't', path: 'a' } });
  }
  assert.equal(end.warnings().length, 1, end.lines.join(''));
  assert.doesNotMatch(end.lines.join(''), /PRIVATE KEY/);
  await replace(end, second);
  assert.deepEqual(end.tls?.current(), trimmed(second));
});

const trimmed = ({ cert, key, ca }: Material): Material => ({
  cert: cert.trim(),
  key: key.trim(),
  ca: ca.trim(),
});
