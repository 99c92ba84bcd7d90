import assert from 'node:assert/strict';
import { test } from 'node:test';
import { egressRules, resolveReceiver, urlProblem } from './rules.ts';

const closed = egressRules({ hosts: [], cidrs: [], ports: [] });
const local = egressRules({ hosts: ['hooks.svc'], cidrs: ['127.0.1.0/24'], ports: ['4443'] });

test('urlProblem accepts public https addresses', () => {
  for (const url of [
    'https://example.com/hook',
    'https://93.184.216.34/',
    'https://example.com:8443/',
    'https://[2606:2800:220:1::1]/x',
  ]) {
    assert.equal(urlProblem(url, closed), undefined, url);
  }
  assert.equal(urlProblem('https://example.com:4443/', local), undefined);
});

test('urlProblem refuses every spelling of an address that is not public', () => {
  const forbidden = [
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://10.0.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest',
    'https://100.64.0.1/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a00:1]/',
    'https://[fc00::1]/',
    'https://[fe80::1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://printer.local/',
    'https://x.internal/',
    'https://api.default.svc/',
    'https://api.default.svc.cluster.local/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[64:ff9b:1::1]/',
    'https://[100::1]/',
    'https://[fec0::1]/',
    'https://[4000::1]/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://198.18.0.1/',
    'https://192.0.2.1/',
  ];
  for (const url of forbidden) assert.notEqual(urlProblem(url, closed), undefined, url);
});

test('urlProblem refuses other schemes, ports and credentials', () => {
  for (const url of [
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'https://a:b@example.com/',
    'https://example.com:22/',
    'example.com',
    '',
  ]) {
    assert.notEqual(urlProblem(url, closed), undefined, url);
  }
});

test('urlProblem accepts plain http on any port for allow-listed hosts only', () => {
  assert.equal(urlProblem('http://127.0.1.9:8025/hooks/a', local), undefined);
  assert.equal(urlProblem('http://hooks.svc/a', local), undefined);
  assert.notEqual(urlProblem('http://127.0.0.1:8025/hooks/a', local), undefined);
});

test('resolveReceiver rejects a blocked address literal and returns an allowed one', async () => {
  await assert.rejects(resolveReceiver(new URL('https://10.1.2.3/'), closed), {
    code: 'BLOCKED_ADDRESS',
  });
  assert.deepEqual(await resolveReceiver(new URL('http://127.0.1.9:8025/'), local), [
    { address: '127.0.1.9', family: 4 },
  ]);
});

test('egressRules throws for a malformed network', () => {
  assert.throws(() => egressRules({ hosts: [], cidrs: ['127.0.0.1'], ports: [] }), /not a network/);
});
