// @peculiar/x509 needs reflect-metadata for its dependency injection.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { X509CertificateGenerator } from '@peculiar/x509';
import {
  type Certificates,
  compareCertificates,
  countingCertificates,
  day,
  dueNotice,
  nextLook,
  settledCertificates,
} from './certificates.ts';

const now = new Date('2026-06-01T12:00:00Z');
const at = (days: number) => new Date(now.getTime() + days * day);
const only = (...idpCertificates: string[]): Certificates => ({
  idpCertificates,
  pendingCertificates: [],
  leavingCertificates: [],
});
const counting = (certificates: Certificates, days: number) =>
  countingCertificates(certificates, at(days));

test('a certificate that the metadata add counts after 24 hours, and with ask never by itself', () => {
  const { after, hasNew } = compareCertificates(only('a'), ['a', 'b'], 'auto', now);
  assert.equal(hasNew, true);
  assert.deepEqual(counting(after, 0.999), ['a']);
  assert.deepEqual(counting(after, 1), ['a', 'b']);
  const manual = compareCertificates(only('a'), ['a', 'b'], 'ask', now).after;
  assert.deepEqual(counting(manual, 1000), ['a']);
  // Found again it keeps its time, and is not new. No longer named, it does not count.
  const again = compareCertificates(after, ['a', 'b'], 'auto', at(0.5));
  assert.deepEqual(again, { after, hasNew: false });
  assert.deepEqual(compareCertificates(after, ['a'], 'auto', at(0.5)).after, only('a'));
});

test('a certificate that the metadata no longer name goes after 7 days, unless it comes back', () => {
  const { after } = compareCertificates(only('a', 'b'), ['b'], 'auto', now);
  assert.deepEqual(counting(after, 6.999), ['a', 'b']);
  assert.deepEqual(counting(after, 7), ['b']);
  assert.deepEqual(settledCertificates(after, at(7)), only('b'));
  assert.deepEqual(compareCertificates(after, ['b'], 'auto', at(3)).after, after);
  assert.deepEqual(compareCertificates(after, ['a', 'b'], 'auto', at(3)).after, only('a', 'b'));
});

test('the last certificate stays until another one counts', () => {
  const waits = compareCertificates(only('a'), ['b'], 'ask', now).after;
  assert.deepEqual(counting(waits, 100), ['a']);
  assert.deepEqual(settledCertificates(waits, at(100)), waits);
  const replaced = compareCertificates(only('a'), ['b'], 'auto', now).after;
  assert.deepEqual(counting(replaced, 1), ['a', 'b']);
  assert.deepEqual(counting(replaced, 7), ['b']);
});

test('a pending certificate that an earlier version has saved counts once', () => {
  const { pendingCertificates } = compareCertificates(only('a'), ['a', 'b'], 'auto', now).after;
  const saved = { ...only('a', 'b'), pendingCertificates };
  assert.deepEqual(settledCertificates(saved, at(1)), only('a', 'b'));
});

test('at most five certificates count, and those of the metadata go first', () => {
  const five = ['a', 'b', 'c', 'd', 'e'];
  const next = ['1', '2', '3', '4'];
  const { after } = compareCertificates(only(...five), [...next, 'e'], 'auto', now);
  assert.deepEqual(counting(after, 1), ['e', ...next]);
  assert.deepEqual(counting(compareCertificates(only(...five), ['a', '1'], 'auto', now).after, 1), [
    'a',
    'c',
    'd',
    'e',
    '1',
  ]);
});

test('the next look is at the next change or notice, and at most in a day', async () => {
  const { after } = compareCertificates(only('a', 'b'), ['b', 'c'], 'auto', now);
  assert.deepEqual(nextLook(after, at(0.75)), at(1));
  assert.deepEqual(nextLook(after, at(6.5)), at(7));
  assert.deepEqual(nextLook(after, at(8)), at(9));
  assert.deepEqual(nextLook(only(await certificateUntil(at(30.5))), now), at(0.5));
});

async function certificateUntil(notAfter: Date): Promise<string> {
  const signingAlgorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const name = 'CN=idp';
  const notBefore = at(-1);
  const options = { name, keys, notBefore, notAfter, signingAlgorithm };
  return (await X509CertificateGenerator.createSelfSigned(options)).toString('pem');
}

test('the expiry of the last certificate is announced 30 and 7 days before, once each', async () => {
  const [soon, later] = [await certificateUntil(at(40)), await certificateUntil(at(400))];
  const noticeAt = (days: number, lastNotice = '', certificates = only(soon)) =>
    dueNotice(certificates, lastNotice, at(days));
  assert.equal(noticeAt(9), undefined);
  const first = noticeAt(10);
  assert.equal(first, `${at(40).toISOString()} 30`);
  assert.equal(noticeAt(32, first), undefined);
  const second = noticeAt(33, first);
  assert.equal(second, `${at(40).toISOString()} 7`);
  assert.equal(noticeAt(39.9, second), undefined);
  assert.equal(noticeAt(40), undefined);
  // Another certificate goes on.
  assert.equal(noticeAt(33, '', only(soon, later)), undefined);
  const pending = compareCertificates(only(soon), [soon, later], 'ask', now).after;
  assert.equal(noticeAt(33, '', pending), second);
});
