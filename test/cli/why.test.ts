import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, describe, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { makeEndpoint, type Owner } from '../delivery/endpoints.ts';
import { type Receiver, startReceiver, status } from '../delivery/receiver.ts';
import { bodyOf } from '../support/answers.ts';
import { eventually, type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { type Cli, createCli } from './cli.ts';

describe('bailiwick why', () => {
  let stack: Stack;
  let receiver: Receiver;
  let owner: Owner;
  let cli: Cli;
  before(async () => {
    stack = await sharedStack('one process');
    receiver = await startReceiver();
    const { token } = await signUp(stack);
    owner = { stack, token, tenant: await createTenant(stack, token) };
    cli = createCli(stack.url, token);
  });
  after(async () => {
    cli?.remove();
    await receiver?.stop();
    await stack?.stop();
  });
  const why = (...args: string[]) => cli.run(['why', ...args, '--tenant', owner.tenant]);
  const publish = async (): Promise<string> => {
    const Body = Buffer.from('{}').toString('base64');
    const request = { Tenant: owner.tenant, Type: 'report.made', Body };
    return String(bodyOf(await stack.call('Events_Publish', request, owner.token))['ID']);
  };

  test('explains an event at each endpoint, as a table or as JSON', async () => {
    receiver.answer('/gone', status(410));
    const EventTypes = ['report.made'];
    const good = { URL: receiver.url('/good'), EventTypes };
    await makeEndpoint(owner, 'Good', good);
    await makeEndpoint(owner, 'Gone', { ...good, URL: receiver.url('/gone') });
    await makeEndpoint(owner, 'Quiet', { ...good, EventTypes: ['none.of.these'] });
    const event = await publish();
    const { stdout, stderr } = await eventually('both attempts', async () => {
      const result = await why(event);
      return /delivered/.test(result.stdout) && /failed/.test(result.stdout) && result;
    });
    assert.equal(stderr, '');
    assert.match(stdout, new RegExp(`^Event +${event}\nType +report\\.made\nTime +20`));
    assert.match(stdout, /^Name +State +Next +Why +Endpoint$/m);
    assert.match(stdout, /^Good +delivered .*The receiver accepted the message\. +whk_\w+$/m);
    assert.match(stdout, /^Gone +failed .*no attempt follows\./m);
    assert.match(stdout, /^Quiet +not_subscribed .*is not subscribed to events of this type\./m);
    assert.match(stdout, /^Attempts at Gone\nAttempt +Time +Status +StatusCode +Error +Ms\n1 /m);
    assert.match(stdout, /^1 .* failed +410 +http_status/m);

    const { stdout: json } = await why(event, '--json');
    const answer = JSON.parse(json) as { Event: string; Endpoints: Array<{ Name: string }> };
    assert.equal(answer.Event, event);
    assert.deepEqual(answer.Endpoints.map(({ Name }) => Name).sort(), ['Gone', 'Good', 'Quiet']);
  });

  test('says when a waiting message is sent next', async () => {
    receiver.answer('/bad', status(503, { 'retry-after': '3600' }));
    await makeEndpoint(owner, 'Bad', { URL: receiver.url('/bad'), EventTypes: ['report.made'] });
    const event = await publish();
    const { stdout } = await eventually('a failed attempt', async () => {
      const result = await why(event);
      return /^Bad +waiting +attempt 2 of /m.test(result.stdout) && result;
    });
    const [, until = ''] = /^Bad +waiting +attempt 2 of \d+, not before (\S+)/m.exec(stdout) ?? [];
    assert.ok(Date.parse(until) > Date.now(), until);
  });

  test('exits with 6 for an unknown event, and with 2 without one', async () => {
    const unknown = await why(createId('evt'));
    assert.deepEqual([unknown.code, unknown.stdout], [6, '']);
    assert.match(unknown.stderr, /event not found/);
    const { code, stderr } = await why();
    assert.equal(code, 2);
    assert.match(stderr, /^bailiwick: why takes one event\n/);
  });
});
