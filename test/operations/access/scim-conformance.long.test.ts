import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { findPython } from '../../support/python.ts';
import { type List, membershipSchema, type Scim, startScim } from './scim-calls.ts';

// Checks the SCIM service with Python's scim2-tester, which reads /Schemas and creates, reads,
// replaces, patches and deletes resources of random values.

const { bin, reason } = await findPython('the checks of SCIM', [
  'scim2-tester==0.5.2',
  'scim2-client==0.13.2',
  'scim2-models==0.12.3',
  'httpx2==2.16.2',
]);
if (reason !== undefined) process.stderr.write(`\n${reason}\n`);
const program = path.join(import.meta.dirname, 'scim-conformance', 'check.py');
/** The checks take 20 to 40 seconds on a machine that runs other tests too. */
const limitMs = 150_000;

/** The result of a check. The attribute is that of a PATCH. */
type Result = {
  resource: string | null;
  check: string;
  attribute: string | null;
  status: string;
  reason: string | null;
};

/** Checks that expect something else than the RFCs. */
const leftOut = new Set([
  // It compares the whole member, without `display`, which the service sets (RFC 7643, section 2.2).
  'Group check_add_attribute members',
  'Group check_replace_attribute members',
  // Each person is active or not, so that a removal leaves the state (RFC 7643, section 4.1.1).
  'User check_remove_attribute active',
  // It takes an extension for writable whose attributes are all read-only (RFC 7643, section 7).
  `User check_add_attribute ${membershipSchema}`,
  `User check_remove_attribute ${membershipSchema}`,
  `User check_replace_attribute ${membershipSchema}`,
]);
/** Checks of a feature that is not supported. */
const skipped = ['User search_with_attributes', 'Group search_with_attributes'];

const nameOf = ({ resource, check, attribute }: Result): string =>
  [resource, check, attribute].filter((part) => part !== null).join(' ');

describe('the SCIM service, checked with scim2-tester', { skip: reason ?? false }, () => {
  let suite: Scim;
  before(async () => {
    suite = await startScim('one process');
  });
  after(() => suite?.stop());

  test('scim2-tester finds no error, and its resources are deleted', {
    timeout: limitMs,
  }, async (t) => {
    const results = await runChecks(suite, t.signal);
    const failed = results.filter(({ status }) => status !== 'SUCCESS' && status !== 'SKIPPED');
    assert.deepEqual(
      failed.filter((one) => !leftOut.has(nameOf(one))),
      [],
    );
    // A check that passes needs no exception.
    assert.deepEqual(new Set(failed.map(nameOf)), leftOut);
    assert.deepEqual(results.filter(({ status }) => status === 'SKIPPED').map(nameOf), skipped);
    const passed = results.length - failed.length - skipped.length;
    assert.ok(passed >= 100, `only ${passed} checks passed`);
    for (const endpoint of ['Users', 'Groups']) {
      const { totalResults } = await suite.get<List>('GET', `${endpoint}?count=0`);
      assert.equal(totalResults, 0, endpoint);
    }
    t.diagnostic(`${passed} checks passed, ${leftOut.size} are left out`);
  });
});

async function runChecks({ base, key }: Scim, signal: AbortSignal): Promise<Result[]> {
  const { stdout } = await promisify(execFile)(path.join(bin ?? '', 'python'), [program], {
    env: { ...process.env, SCIM_URL: base, SCIM_KEY: key },
    maxBuffer: 16 * 1024 * 1024,
    signal,
  });
  return JSON.parse(stdout) as Result[];
}
