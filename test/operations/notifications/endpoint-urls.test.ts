import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { describeOne, type Stack, startStack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { countOf, eventTypesOf } from '../../support/store.ts';

const https = 'Endpoint.URL must begin with https://';
const publicOnly = 'Endpoint.URL must be a public address';

// URLs that an endpoint must not have, and the messages that say why. The local start allows its
// own machine; here only one address of it is allowed, and all else is as in production.
const refused: ReadonlyArray<[message: string, urls: readonly string[]]> = [
  [
    'Endpoint.URL must be a URL',
    ['nonsense', 'hooks.example.com/x', 'https://', 'https://exa mple.com'],
  ],
  [
    https,
    [
      'http://hooks.example.com',
      'ftp://hooks.example.com',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'http://10.0.0.1',
      'http://127.0.0.2:8080',
    ],
  ],
  [
    'Endpoint.URL must not contain a user name or password',
    [
      'https://user:secret@hooks.example.com',
      'https://user@hooks.example.com',
      'http://u@127.0.0.1',
    ],
  ],
  [
    'Endpoint.URL must use a port that is allowed for receivers',
    ['https://hooks.example.com:22', 'https://hooks.example.com:5432/x'],
  ],
  [
    publicOnly,
    [
      'https://10.0.0.1',
      'https://172.16.0.1',
      'https://192.168.1.1/x',
      'https://127.0.0.2',
      'https://169.254.169.254/latest',
      'https://0.0.0.0',
    ],
  ],
  [
    publicOnly,
    [
      'https://[::1]',
      'https://[fd00::1]',
      'https://[fe80::1]',
      'https://[::ffff:10.0.0.1]',
      'https://[::ffff:7f00:2]',
      'https://[64:ff9b::a00:1]',
    ],
  ],
  // Other spellings of the same addresses, and names that only resolve inside a cluster.
  [
    publicOnly,
    [
      'https://2130706434',
      'https://0x7f.2',
      'https://0177.0.0.2',
      'https://127.2',
      'https://１０.0.0.1',
      'https://10.0.0.1.',
    ],
  ],
  [
    publicOnly,
    [
      'https://localhost',
      'https://LOCALHOST.',
      'https://db.svc',
      'https://api.default.svc.cluster.local',
      'https://printer.local',
      'https://metadata.google.internal',
    ],
  ],
  [
    'Endpoint.URL must be at most 2048 characters',
    [`https://hooks.example.com/${'x'.repeat(2048)}`],
  ],
];

const allowed = [
  'https://hooks.example.com/a?b=c#d',
  'https://hooks.example.com:8443',
  'https://8.8.8.8/x',
  'https://[2606:4700::1111]/',
  'http://127.0.0.1:8080/x',
];

describeOne('endpoint URLs', 'one process', (topology) => {
  let stack: Stack;
  let token: string;
  let Tenant: string;
  before(async () => {
    stack = await startStack(topology, {
      BAILIWICK_EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
      BAILIWICK_EGRESS_ALLOW_HOSTS: '',
    });
    ({ token } = await signUp(stack));
    Tenant = await createTenant(stack, token);
  });
  after(() => stack?.stop());

  // No event has this type, so none of the addresses is ever called.
  const sample = (URL: unknown) => ({ Tenant, Name: 'a', URL, EventTypes: ['nothing.at_all'] });
  const create = (URL: unknown) =>
    stack.call('Webhooks_CreateEndpoint', { Endpoint: sample(URL) }, token);
  const count = () => countOf(stack, 'notifications.webhook_endpoint where tenant = $1', [Tenant]);

  test('Webhooks_CreateEndpoint refuses a URL that Bailiwick must not call, and says why', async () => {
    for (const [message, urls] of refused) {
      for (const url of urls) assertRefused(await create(url), 400, 'invalid_argument', [message]);
    }
    assert.equal(await count(), 0);
    assert.deepEqual(await eventTypesOf(stack, 'notifications', Tenant), []);
  });

  test('Webhooks_CreateEndpoint takes public addresses and those that the operator allows, and keeps them as sent', async () => {
    for (const url of allowed) {
      const { URL } = recordIn(await create(url), 'Endpoint') as { URL: string };
      assert.equal(URL, url);
    }
    assert.equal(await count(), allowed.length);
  });

  test('Webhooks_UpdateEndpoint refuses the same URLs, and leaves the endpoint as it was', async () => {
    const { ID } = recordIn(await create('https://hooks.example.com/first'), 'Endpoint') as {
      ID: string;
    };
    const update = (URL: string, Name: string) =>
      stack.call('Webhooks_UpdateEndpoint', { Endpoint: { ID, Name, URL } }, token);
    for (const [message, urls] of refused)
      for (const url of urls)
        assertRefused(await update(url, 'changed'), 400, 'invalid_argument', [message]);
    const read = async () => {
      const answer = await stack.call('Webhooks_GetEndpoint', { Tenant, ID }, token);
      const { Name, URL } = recordIn(answer, 'Endpoint') as { Name: string; URL: string };
      return { Name, URL };
    };
    assert.deepEqual(await read(), { Name: 'a', URL: 'https://hooks.example.com/first' });
    bodyOf(await update('https://hooks.example.com/second', 'changed'));
    assert.deepEqual(await read(), { Name: 'changed', URL: 'https://hooks.example.com/second' });
  });
});
