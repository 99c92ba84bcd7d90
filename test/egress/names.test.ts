import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createLookUp, createPools, egressRules, resolveReceiver } from '@bailiwick/egress';
import { send } from '@bailiwick/notifications/sending/send.ts';
import { type DnsServer, startDns } from '../support/dns-server.ts';

// Name resolution with a hostile DNS server.

let dns: DnsServer;
before(async () => {
  dns = await startDns();
});
after(() => dns?.stop());

const production = () => egressRules({ hosts: [], cidrs: [], ports: [], resolver: dns.address });
const resolve = async (name: string) =>
  (await resolveReceiver(new URL(`https://${name}/`), production())).map(({ address }) => address);

describe('a name is looked up', () => {
  test('at the configured server, with all its addresses of both families', async () => {
    dns.set('good.example', { addresses: ['93.184.215.14', '93.184.215.15', '2606:4700::1111'] });
    assert.deepEqual((await resolve('good.example')).sort(), [
      '2606:4700::1111',
      '93.184.215.14',
      '93.184.215.15',
    ]);
  });

  test('through its CNAMEs', async () => {
    dns.set('alias.example', { cname: 'real.example', addresses: ['93.184.215.14'] });
    assert.deepEqual(await resolve('alias.example'), ['93.184.215.14']);
  });

  test('as written, in lower case and punycode, without a search domain', async () => {
    dns.queries.length = 0;
    await assert.rejects(resolve('Intranet'), { code: 'ENOTFOUND' });
    await assert.rejects(resolve('bücher.example.'), { code: 'ENOTFOUND' });
    assert.deepEqual([...new Set(dns.queries)].sort(), ['intranet', 'xn--bcher-kva.example']);
  });

  test('with the answer of one family, if the other one fails', async () => {
    let questions = 0;
    dns.set('half.example', () =>
      questions++ === 0 ? { addresses: ['93.184.215.14', '2606:4700::1111'] } : { code: 2 },
    );
    assert.equal((await resolve('half.example')).length, 1);
  });

  test('again for each request, regardless of its TTL', async () => {
    const look = createLookUp(dns.address);
    dns.set('moving.example', { addresses: ['93.184.215.14'] });
    assert.deepEqual(await look('moving.example'), [{ address: '93.184.215.14', family: 4 }]);
    dns.set('moving.example', { addresses: ['93.184.215.15'] });
    assert.deepEqual(await look('moving.example'), [{ address: '93.184.215.15', family: 4 }]);
  });

  test('with at most as many addresses as can be tried, all of them checked', async () => {
    const many = Array.from({ length: 40 }, (_, index) => `93.184.215.${index + 1}`);
    dns.set('many.example', { addresses: many });
    const dialled = await resolve('many.example');
    assert.equal(dialled.length, 16);
    assert.ok(dialled.every((address) => many.includes(address)));
    dns.set('many.example', { addresses: [...many, '10.0.0.1'] });
    await assert.rejects(resolve('many.example'), { code: 'BLOCKED_ADDRESS' });
  });

  test('and fails within seconds, if the server is silent, fails or refuses', async () => {
    dns.set('silent.example', { addresses: ['93.184.215.14'], delayMs: 60_000 });
    dns.set('broken.example', { code: 2 });
    dns.set('refused.example', { code: 5 });
    const started = Date.now();
    await Promise.all(
      ['silent', 'broken', 'refused'].map((name) =>
        assert.rejects(resolve(`${name}.example`), { code: 'ENOTFOUND' }),
      ),
    );
    assert.ok(Date.now() - started < 8000, `${Date.now() - started} ms`);
  });
});

const forbidden: Record<string, readonly string[]> = {
  'a private address': ['10.1.2.3'],
  loopback: ['127.0.0.1'],
  'loopback in IPv6': ['::1'],
  'the metadata of a cloud': ['169.254.169.254'],
  'the metadata of a cloud in IPv6': ['fd00:ec2::254'],
  'the platform of Azure': ['168.63.129.16'],
  'this host': ['0.0.0.0'],
  'shared space of a provider': ['100.64.0.1'],
  'one private address among public ones': ['93.184.215.14', '93.184.215.15', '192.168.0.1'],
  'a public address and a local one in IPv6': ['93.184.215.14', 'fd00::1'],
  'an address mapped into IPv6': ['::ffff:127.0.0.1'],
  'an IPv4-compatible address': ['::127.0.0.1'],
  'a private address behind NAT64': ['64:ff9b::10.0.0.1'],
  'a private address behind a local NAT64': ['64:ff9b:1::10.0.0.1'],
  'a private address in 6to4': ['2002:a00:1::1'],
  'a private address in Teredo': ['2001:0:a00:1::1'],
  'a private address in ISATAP': ['2620:0:1cfe::5efe:10.0.0.1'],
  'segment routing': ['5f00::1'],
  'the discard prefix': ['100::1'],
  multicast: ['ff02::1'],
};

describe('a name is rejected that resolves to', () => {
  for (const [what, addresses] of Object.entries(forbidden)) {
    test(what, async () => {
      const name = `${what.replaceAll(' ', '-').toLowerCase()}.example`;
      dns.set(name, { addresses });
      await assert.rejects(resolve(name), { code: 'BLOCKED_ADDRESS' });
    });
  }

  test('a private name through a CNAME', async () => {
    dns.set('innocent.example', {
      cname: 'db.default.svc.cluster.local',
      addresses: ['10.96.0.7'],
    });
    await assert.rejects(resolve('innocent.example'), { code: 'BLOCKED_ADDRESS' });
  });
});

describe('a request to a name', () => {
  // 127.0.1.0/24 stands for the internet, and the rest of the loopback network for private
  // addresses.
  const [outside, inside] = ['127.0.1.1', '127.0.0.1'] as const;
  const pools = createPools({ connectMs: 500, totalMs: 2000, answerBytes: 16 * 1024 });
  const counts: Record<string, number> = {};
  const servers = [outside, inside].map((host) =>
    createServer((socket) => {
      counts[host] = (counts[host] ?? 0) + 1;
      socket.on('error', () => {}).end('no TLS');
    }),
  );
  let port = 0;
  before(async () => {
    for (const [index, server] of servers.entries()) {
      await once(server.listen(port, [outside, inside][index]), 'listening');
      port = (server.address() as AddressInfo).port;
    }
  });
  after(async () => {
    await pools.close();
    for (const server of servers) server.close();
  });
  const post = (name: string) => {
    const egress = egressRules({
      hosts: [],
      cidrs: ['127.0.1.0/24'],
      ports: [String(port)],
      resolver: dns.address,
    });
    const attempt = {
      url: `https://${name}:${port}/`,
      headers: {},
      body: Buffer.from('{}'),
      signal: new AbortController().signal,
    };
    return send({ pools, egress }, attempt);
  };

  test('connects to the checked addresses: a rebinding name reaches nothing private', async () => {
    let answers = 0;
    const seen: string[] = [];
    // Each attempt asks for both families: the first attempt gets public addresses, and all later
    // queries private ones.
    dns.set('rebinding.example', () => ({ addresses: [answers++ < 2 ? outside : inside] }));
    for (let attempt = 0; attempt < 4; attempt++)
      seen.push((await post('rebinding.example')).error);
    // The receiver speaks no TLS, so tls_error shows that it was reached.
    assert.deepEqual(seen, ['tls_error', 'blocked_address', 'blocked_address', 'blocked_address']);
    assert.equal(counts[outside], 1);
    assert.equal(counts[inside], undefined);
  });

  test('is blocked if one of several addresses is private', async () => {
    dns.set('mixed.example', { addresses: [outside, inside] });
    assert.equal((await post('mixed.example')).error, 'blocked_address');
    assert.equal(counts[inside], undefined);
  });

  test('that does not resolve ends in dns_error', async () => {
    assert.equal((await post('nowhere.example')).error, 'dns_error');
  });

  test('whose DNS server is slow ends in time', async () => {
    dns.set('slow.example', { addresses: ['127.0.1.1'], delayMs: 60_000 });
    const egress = egressRules({ hosts: [], cidrs: [], ports: [], resolver: dns.address });
    const attempt = {
      url: 'https://slow.example/',
      headers: {},
      body: Buffer.from('{}'),
      signal: new AbortController().signal,
    };
    const started = Date.now();
    const { error } = await send({ pools, egress }, attempt, {
      totalMs: 300,
      connectMs: 300,
      answerBytes: 1,
    });
    assert.equal(error, 'timeout');
    assert.ok(Date.now() - started < 3000);
  });
});
