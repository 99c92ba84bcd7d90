import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { test } from 'node:test';
import tls from 'node:tls';
import { createPools, egressRules } from '@bailiwick/egress';
import type { DeliveryOutcome } from '@bailiwick/notifications/sending/delivery-outcome.ts';
import { send } from '@bailiwick/notifications/sending/send.ts';
import { createAuthority } from '../tls/authority.ts';

/** Node supports this since 24.5. */
const skip = 'setDefaultCACertificates' in tls ? false : 'this runtime cannot trust a further CA';

const authority = await createAuthority();
const certificate = await authority.issue({ hosts: ['localhost'] });
const expired = await authority.issue({ hosts: ['localhost'], endsInMs: -60_000 });

const egress = egressRules({ hosts: ['localhost'], cidrs: ['127.0.0.0/8', '::1/128'], ports: [] });

/**
 * Posts once to a receiver with these settings, and returns the number of its requests and the
 * errors of other connections.
 */
async function postTo(
  options: ServerOptions,
  host = 'localhost',
): Promise<{ outcome: DeliveryOutcome; requests: number; codes: string[] }> {
  const counts = { requests: 0, codes: [] as string[] };
  const server = createServer({ ...certificate, ...options }, (request, response) => {
    counts.requests++;
    request.resume().on('end', () => response.writeHead(200).end());
  });
  server.on('tlsClientError', (error: NodeJS.ErrnoException) =>
    counts.codes.push(error.code ?? ''),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // New pools, because a TLS session of one receiver would be resumed.
  const pools = createPools({ connectMs: 2000, totalMs: 5000, answerBytes: 16 * 1024 });
  try {
    const url = `https://${host}:${(server.address() as AddressInfo).port}/`;
    const outcome = await send(
      { pools, egress },
      { url, headers: {}, body: Buffer.from('{}'), signal: new AbortController().signal },
    );
    return { outcome, ...counts };
  } finally {
    await pools.close();
    server.closeAllConnections();
    server.close();
  }
}

function assertRefused({ outcome, requests }: Awaited<ReturnType<typeof postTo>>): void {
  assert.deepEqual(
    [outcome.status, outcome.error, outcome.message],
    ['retry', 'tls_error', 'a trusted TLS connection could not be established'],
  );
  assert.equal(requests, 0);
}

test('Webhooks_Deliver does not post to a receiver with an untrusted certificate', async () => {
  assertRefused(await postTo({}));
});

test('Webhooks_Deliver only posts if the certificate is trusted, unexpired and for that name', {
  skip,
}, async () => {
  const before = tls.getCACertificates();
  tls.setDefaultCACertificates([...before, authority.ca]);
  try {
    const { outcome, requests } = await postTo({});
    assert.deepEqual([outcome.status, requests], ['delivered', 1]);
    assertRefused(await postTo({}, '127.0.0.1'));
    assertRefused(await postTo(expired));
  } finally {
    tls.setDefaultCACertificates(before);
  }
});

/** A receiver with nothing newer than TLS 1.1 needs OpenSSL, which Deno does not have. */
const skipOld = 'deno' in process.versions ? 'this runtime has no old TLS versions' : skip;

test('Webhooks_Deliver requires TLS 1.2 or later', { skip: skipOld }, async () => {
  const before = tls.getCACertificates();
  tls.setDefaultCACertificates([...before, authority.ca]);
  try {
    assert.equal(
      (await postTo({ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' })).outcome.status,
      'delivered',
    );
    // OpenSSL only speaks the old versions at security level 0.
    const old = await postTo({
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    assertRefused(old);
    assert.deepEqual(old.codes, ['ERR_SSL_UNSUPPORTED_PROTOCOL']);
  } finally {
    tls.setDefaultCACertificates(before);
  }
});
