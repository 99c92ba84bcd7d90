import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf } from '../support/answers.ts';
import { describeOne, type Stack } from '../support/harness.ts';
import { sharedStack } from '../support/shared.ts';
import {
  createHome,
  goThrough,
  type Home,
  loginUrl,
  oidcOf,
  readProvider,
  saveProvider,
} from './home.ts';
import { type EvilOp, startEvilOp } from './oidc/evil-op.ts';

describeOne('a provider that sends long names', 'one process', (topology) => {
  let stack: Stack;
  let home: Home;
  let op: EvilOp;
  before(async () => {
    stack = await sharedStack(topology);
    home = await createHome(stack);
    op = await startEvilOp({
      account: {
        sub: 'ada',
        email: `ada@${home.domain}`,
        email_verified: true,
        name: `${'😀'.repeat(127)}ab`,
        given_name: 'x'.repeat(400),
      },
    });
  });
  after(() => op?.stop());

  test('gives the account their first 128 characters, and its administrator a warning', async () => {
    const provider = await saveProvider(stack, home, {
      ...oidcOf(op.issuer),
      TokenAuthMethod: 'none',
    });
    const { token } = await goThrough(stack, loginUrl(stack, provider, '/verify'));
    const { User } = bodyOf(await stack.call('Account_Get', {}, token)) as unknown as {
      User: { Name: string; GivenName: string };
    };
    assert.deepEqual([User.Name, User.GivenName], [`${'😀'.repeat(127)}a`, 'x'.repeat(128)]);
    const { LastWarning } = (await readProvider(stack, home, provider)) as unknown as {
      LastWarning: string;
    };
    assert.match(LastWarning, /^NAME_CUT: /);
  });

  test('/.well-known/change-password leads to where users change their password', async () => {
    const address = `${stack.url}/.well-known/change-password`;
    const response = await fetch(address, { redirect: 'manual' });
    assert.equal(response.status, 303);
    assert.match(response.headers.get('location') ?? '', /^\/(account\/security|login)$/);
  });
});
