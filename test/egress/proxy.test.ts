import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createServer as createHttp, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { after, before, describe, test } from 'node:test';
import tls from 'node:tls';
import { createPools, egressRules, type Pools, parseProxy } from '@bailiwick/egress';
import { type ServiceError } from '@bailiwick/errors';
import { limits, send } from '@bailiwick/notifications/sending/send.ts';
import { type DnsServer, startDns } from '../support/dns-server.ts';
import { takePort } from '../support/ports.ts';
import { createAuthority } from '../tls/authority.ts';
import { type ProxyServer, startProxy } from './proxy-server.ts';

const skip = 'setDefaultCACertificates' in tls ? false : 'this runtime cannot trust a further CA';
const authority = await createAuthority();
const certificate = await authority.issue({ hosts: ['localhost'] });
const short = { ...limits, totalMs: 2500, connectMs: 700 };

describe('a request through the egress proxy', () => {
  let dns: DnsServer;
  let proxy: ProxyServer;
  let pools: Pools;
  const received: Array<{ body: string; host: string | undefined }> = [];
  const receive: RequestListener = (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ body: Buffer.concat(chunks).toString(), host: request.headers.host });
      response.end('taken');
    });
  };
  const plain = createHttp(receive);
  const secure = createHttps(certificate, receive);
  const portOf = (server: { address: () => unknown }) => (server.address() as AddressInfo).port;

  before(async () => {
    [dns, proxy] = await Promise.all([startDns(), startProxy()]);
    pools = createPools({ ...short, proxy: proxy.url });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.1.1', resolve));
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    await pools?.close();
    for (const server of [plain, secure]) {
      server.closeAllConnections();
      server.close();
    }
    await Promise.all([dns?.stop(), proxy?.stop()]);
  });

  const post = (url: string, through = pools) => {
    const egress = egressRules({
      hosts: ['localhost', 'plain.example'],
      cidrs: ['127.0.1.0/24'],
      ports: [],
      resolver: dns.address,
    });
    return send(
      { pools: through, egress },
      {
        url,
        headers: {},
        body: Buffer.from('{"the":"body"}'),
        signal: new AbortController().signal,
      },
      short,
    );
  };
  const ourFault = (promise: Promise<unknown>, words: string) =>
    assert.rejects(promise, (error: ServiceError) => {
      // The tenant must not see operators' errors, so they are only the cause, for the log.
      assert.deepEqual([error.code, (error.cause as Error).message], ['unavailable', words]);
      assert.doesNotMatch(error.message, /proxy/);
      return true;
    });
  const refusing = async (answer: ProxyServer['refuse'], work: () => Promise<void>) => {
    const before = proxy.refuse;
    proxy.refuse = answer;
    await work().finally(() => (proxy.refuse = before));
  };

  test('asks for a tunnel to the checked address, and the receiver gets the host name', async () => {
    dns.set('plain.example', { addresses: ['127.0.1.1'] });
    proxy.asked.length = received.length = 0;
    const outcome = await post(`http://plain.example:${portOf(plain)}/`);
    assert.equal(outcome.status, 'delivered', outcome.message);
    assert.deepEqual(proxy.asked, [`127.0.1.1:${portOf(plain)}`]);
    assert.deepEqual(received, [
      { body: '{"the":"body"}', host: `plain.example:${portOf(plain)}` },
    ]);
  });

  test('reuses a tunnel', async () => {
    proxy.asked.length = 0;
    for (let attempt = 0; attempt < 3; attempt++)
      await post(`http://plain.example:${portOf(plain)}/`);
    assert.deepEqual(proxy.asked, []);
  });

  test('asks for no tunnel to a blocked address', async () => {
    proxy.asked.length = 0;
    dns.set('inside.example', { addresses: ['93.184.215.14', '10.0.0.1'] });
    for (const url of [
      'https://inside.example/',
      'https://127.0.0.1/',
      'https://[::ffff:10.0.0.1]/',
    ])
      assert.equal((await post(url)).error, 'blocked_address');
    assert.deepEqual(proxy.asked, []);
  });

  test('uses TLS with the receiver itself: the proxy sees no body, and an untrusted certificate is rejected', {
    skip,
  }, async () => {
    proxy.sent = Buffer.alloc(0);
    received.length = 0;
    const url = `https://localhost:${portOf(secure)}/`;
    assert.equal((await post(url)).error, 'tls_error');
    const trusted = tls.getCACertificates();
    tls.setDefaultCACertificates([...trusted, authority.ca]);
    const fresh = createPools({ ...short, proxy: proxy.url });
    try {
      assert.equal((await post(url, fresh)).status, 'delivered');
      // The certificate is for the receiver's name, not its address.
      assert.equal((await post(`https://127.0.1.1:${portOf(plain)}/`, fresh)).error, 'tls_error');
    } finally {
      tls.setDefaultCACertificates(trusted);
      await fresh.close();
    }
    assert.deepEqual(
      received.map(({ body }) => body),
      ['{"the":"body"}'],
    );
    assert.ok(proxy.sent.length > 500);
    assert.ok(!proxy.sent.includes('"body"') && !proxy.sent.includes('POST'));
  });

  test('tries the next address if the proxy does not reach the first', async () => {
    dns.set('plain.example', { addresses: ['127.0.1.9', '127.0.1.1'] });
    proxy.asked.length = 0;
    assert.equal((await post(`http://plain.example:${portOf(plain)}/`)).status, 'delivered');
    assert.deepEqual([...proxy.asked].sort(), [
      `127.0.1.1:${portOf(plain)}`,
      `127.0.1.9:${portOf(plain)}`,
    ]);
  });

  for (const status of [403, 407, 429, 500, 502, 503]) {
    test(`is the operator’s fault and not the receiver’s if the proxy answers ${status}`, async () => {
      const wrong = createPools({ ...short, proxy: proxy.url });
      await refusing(
        () => status,
        () => ourFault(post('http://127.0.1.2:9/', wrong), `the egress proxy answered ${status}`),
      );
      await wrong.close();
    });
  }

  test('is the operator’s fault if the proxy rejects the credentials, and no error contains the password', async () => {
    const stranger = createPools({ ...short, proxy: proxy.url.replace('egress:', 'somebody:') });
    await assert.rejects(post('http://127.0.1.2:9/', stranger), (error: Error) => {
      assert.equal((error.cause as Error).message, 'the egress proxy answered 407');
      assert.doesNotMatch(
        `${error.stack} ${(error.cause as Error).stack} ${JSON.stringify(error)}`,
        /hunter2|somebody|ZWdyZXNz/,
      );
      return true;
    });
    await stranger.close();
  });

  test('is the operator’s fault if the proxy is down, hangs up, or is not a proxy', async () => {
    const noise = createTcp((socket) => void socket.on('error', () => {}).end('SSH-2.0-none\r\n'));
    const mute = createTcp((socket) => socket.destroy());
    for (const server of [noise, mute])
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    for (const port of [await takePort(), portOf(noise), portOf(mute)]) {
      const away = createPools({ ...short, proxy: `http://127.0.0.1:${port}` });
      await ourFault(post('http://127.0.1.2:9/', away), 'the egress proxy cannot be reached');
      await away.close();
    }
    for (const server of [noise, mute]) server.close();
  });

  test('ends in a time-out of the receiver if the proxy waits for it too long', async () => {
    for (const answer of [504, 'nothing'] as const) {
      await refusing(
        () => answer,
        async () => assert.equal((await post('http://127.0.1.3:9/')).error, 'timeout'),
      );
    }
  });
});

test('an unusable proxy setting prevents the start, with a message without its password', () => {
  assert.deepEqual(parseProxy('http://proxy.example:3128'), {
    origin: 'http://proxy.example:3128',
    headers: {},
  });
  const { headers } = parseProxy('http://us%3Aer:p%40ss@proxy.example:3128/');
  assert.equal(
    headers['proxy-authorization'],
    `Basic ${Buffer.from('us:er:p@ss').toString('base64')}`,
  );
  const wrong = [
    'proxy.example:3128',
    'https://u:hidden@proxy.example',
    'socks5://u:hidden@proxy.example',
    'http://u:hidden@proxy.example/path',
    'http://u:hidden%@proxy.example',
  ];
  for (const url of wrong) {
    assert.throws(
      () => parseProxy(url),
      (error: Error) => !error.message.includes('hidden'),
      url,
    );
  }
});
