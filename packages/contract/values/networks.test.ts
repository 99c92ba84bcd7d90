import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNetworks, parseNetwork, plainAddress } from './networks.ts';

test('parseNetwork accepts an address with or without a prefix length', () => {
  assert.deepEqual(parseNetwork('192.0.2.0/24'), {
    address: '192.0.2.0',
    bits: 24,
    family: 'ipv4',
  });
  assert.deepEqual(parseNetwork('192.0.2.7'), { address: '192.0.2.7', bits: 32, family: 'ipv4' });
  assert.deepEqual(parseNetwork('2001:db8::/32'), {
    address: '2001:db8::',
    bits: 32,
    family: 'ipv6',
  });
  for (const text of [
    '',
    'a',
    '192.0.2',
    '192.0.2.0/33',
    '192.0.2.0/',
    '192.0.2.0/24/24',
    '192.0.2.0/-1',
    '::/129',
    'fe80::1%eth0',
    ' 192.0.2.1',
  ]) {
    assert.equal(parseNetwork(text), undefined, text);
  }
});

test('createNetworks matches addresses in every form, and no invalid ones', () => {
  const includes = createNetworks([
    '192.0.2.0/24',
    '198.51.100.7',
    '2001:db8::/32',
    '0.0.0.0/x',
    'nonsense',
  ]);
  for (const address of [
    '192.0.2.0',
    '192.0.2.255',
    '198.51.100.7',
    '2001:db8::1',
    '2001:DB8:0:0::9',
    '::ffff:192.0.2.1',
    '2001:db8::1%eth0',
  ]) {
    assert.ok(includes(address), address);
  }
  for (const address of [
    '192.0.3.0',
    '198.51.100.8',
    '2001:db9::1',
    '::1',
    '',
    'nonsense',
    '192.0.2.1.1',
  ])
    assert.ok(!includes(address), address);
  assert.ok(createNetworks(['0.0.0.0/0'])('203.0.113.1'));
  assert.ok(!createNetworks([])('203.0.113.1'));
});

test('plainAddress unmaps an IPv4 client of a dual-stack listener', () => {
  assert.equal(plainAddress('::ffff:192.0.2.1'), '192.0.2.1');
  for (const address of ['192.0.2.1', '2001:db8::1', '::ffff:c000:201', '::192.0.2.1', ''])
    assert.equal(plainAddress(address), address);
});
