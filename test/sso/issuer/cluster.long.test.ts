import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { assertKeyless } from '../../cluster/keyless.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

// The cluster is that of BAILIWICK_TEST_KUBECONFIG, of which the API server suffices. The test adds a
// namespace to it and removes it again. `npm run test:cluster` does the same with the chart.

const kubeconfig = process.env['BAILIWICK_TEST_KUBECONFIG'] ?? '';
const namespace = `bailiwick-${randomBytes(4).toString('hex')}`;

async function kubectl(...args: string[]): Promise<string> {
  const all = [`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`, ...args];
  return (await promisify(execFile)('kubectl', all, { timeout: 60_000 })).stdout;
}

if (kubeconfig === '')
  test('a ServiceAccount of a real cluster gets a token of a bot', {
    skip: 'BAILIWICK_TEST_KUBECONFIG names no cluster',
  });
else
  describeOne('a real cluster', 'one process', (topology) => {
    let stack: Stack;
    before(async () => {
      stack = await sharedStack(topology);
      await kubectl('create', 'namespace', namespace);
    });
    after(async () => {
      await kubectl('delete', 'namespace', namespace, '--wait=false');
      await stack?.stop();
    });

    test('a ServiceAccount gets a token of the bot that trusts it, and no other account or audience does', async () => {
      const { token } = await signUp(stack);
      const tenant = await createTenant(stack, token);
      await assertKeyless({ name: namespace, kubectl }, stack, { token, tenant });
    });
  });
