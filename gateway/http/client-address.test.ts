import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClientAddress } from './client-address.ts';

let counted = 0;
const addressOf = createClientAddress(
  ['10.0.0.0/8', '2001:db8:ff::/48'],
  () => void (counted += 1),
);
const read = (header: string | undefined, remoteAddress = '10.0.0.1') =>
  addressOf({ headers: { 'x-forwarded-for': header }, socket: { remoteAddress } });

test('the address of a client is read with a port, in brackets and in quotes', () => {
  counted = 0;
  for (const [entry, address] of [
    ['198.51.100.7', '198.51.100.7'],
    ['198.51.100.7:51234', '198.51.100.7'],
    ['"198.51.100.7:51234"', '198.51.100.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['"[2001:db8::7]:443"', '2001:db8::7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['[::ffff:198.51.100.7]:443', '198.51.100.7'],
  ] as const) {
    assert.equal(read(entry), address, entry);
    assert.equal(read(`192.0.2.1, ${entry} ,10.1.1.1:80`), address, entry);
  }
  assert.equal(counted, 0);
});

test('a malformed entry means the nearest trusted proxy, never an entry further left, and is counted', () => {
  for (const entry of [
    'unknown',
    '_hidden',
    '',
    '198.51.100.7:',
    '198.51.100.7:port',
    '[198.51.100.7]',
    '[2001:db8::7',
    'fe80::1%eth0',
    '"198.51.100.7',
    '198.51.100.7 192.0.2.1',
    'http://198.51.100.7',
  ]) {
    counted = 0;
    assert.equal(read(`192.0.2.1, ${entry}`), '10.0.0.1', entry);
    assert.equal(read(`192.0.2.1, ${entry}, [2001:db8:ff::2]:80`), '2001:db8:ff::2', entry);
    assert.equal(counted, 2, entry);
    // Entries that a client itself wrote are not read, and counts nothing.
    assert.equal(read(`${entry}, 198.51.100.7`), '198.51.100.7', entry);
    assert.equal(counted, 2, entry);
  }
});

test('only a trusted proxy names another address', () => {
  assert.equal(read('192.0.2.1', '198.51.100.9'), '198.51.100.9');
  assert.equal(read(undefined), '10.0.0.1');
  assert.equal(read('10.9.9.9'), '10.9.9.9');
  assert.equal(read('192.0.2.1', '::ffff:10.0.0.1'), '192.0.2.1');
});
