import assert from 'node:assert/strict';
import { test } from 'node:test';
import { egressRules, urlProblem } from './rules.ts';

// The messages of Webhooks_CreateEndpoint and Webhooks_UpdateEndpoint for a URL, after
// "Endpoint.URL ".
const production = egressRules({ hosts: [], cidrs: [], ports: ['9443'] });
const local = egressRules({
  hosts: ['localhost', 'receiver.test.svc'],
  cidrs: ['127.0.0.0/8', '::1/128'],
  ports: [],
});

for (const url of [
  'https://receiver.example/hook?a=1',
  'https://receiver.example:8443/',
  'https://receiver.example:9443/',
  'https://93.184.215.14/',
  'https://[2606:4700::1111]/',
]) {
  test(`${url} is accepted`, () => assert.equal(urlProblem(url, production), undefined));
}

const refused: ReadonlyArray<readonly [string, string]> = [
  ['receiver', 'must be a URL'],
  ['http://receiver.example/', 'must begin with https://'],
  ['ftp://receiver.example/', 'must begin with https://'],
  ['https://user:password@receiver.example/', 'must not contain a user name or password'],
  ['https://receiver.example:22/', 'must use a port that is allowed for receivers'],
  ['https://localhost/', 'must be a public address'],
  ['https://LOCALHOST./', 'must be a public address'],
  ['https://printer.local/', 'must be a public address'],
  ['https://db.internal/', 'must be a public address'],
  ['https://db.default.svc.cluster.local/', 'must be a public address'],
  ['https://10.0.0.1/', 'must be a public address'],
  ['https://0x7f.1/', 'must be a public address'],
  ['https://[::ffff:127.0.0.1]/', 'must be a public address'],
  ['https://[64:ff9b::a00:1]/', 'must be a public address'],
  ['https://[2002:a00:1::]/', 'must be a public address'],
  ['https://[fd00::1]/', 'must be a public address'],
  ['https://169.254.169.254/', 'must be a public address'],
];
for (const [url, problem] of refused) {
  test(`${url} is refused: it ${problem}`, () =>
    assert.equal(urlProblem(url, production), problem));
}

for (const url of [
  'http://localhost:3000/',
  'http://127.0.0.1:3000/',
  'http://[::1]:3000/',
  'http://receiver.test.svc/',
]) {
  test(`${url} is accepted if the egress guard is lifted for it`, () =>
    assert.equal(urlProblem(url, local), undefined));
}
