import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { createPools, egressRules, type Pools } from '@bailiwick/egress';
import { createLog } from '@bailiwick/process';
import { type BotProofDeps, proveBot } from '@bailiwick/sso/issuer/bot-proof.ts';
import { readSubject } from '@bailiwick/sso/issuer/subject-token.ts';
import { createTrustedKeys } from '@bailiwick/sso/issuer/trusted-keys.ts';
import { decodeProtectedHeader } from 'jose';
import { githubJob, newSigning } from './keyless.ts';

type Route = (response: ServerResponse) => void;

const limits = { totalMs: 3000, connectMs: 3000, answerBytes: 64 * 1024 };
const log = createLog('test', () => {});
const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Route =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(value));

describe('the keys of an issuer that a bot trusts', () => {
  let server: Server;
  let pools: Pools;
  let issuer: string;
  let requests: string[];
  let routes: Record<string, Route>;
  let signing = newSigning();
  before(async () => {
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      (routes[request.url ?? ''] ?? json({}, 404))(response);
    });
    await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
    issuer = `http://${loopback}:${(server.address() as AddressInfo).port}`;
    pools = createPools(limits);
  });
  after(async () => {
    await pools?.close();
    server?.closeAllConnections();
    server?.close();
  });
  beforeEach(() => {
    requests = [];
    signing = newSigning();
    publish(signing.jwks);
  });

  function publish(jwks: string): void {
    routes = {
      '/.well-known/openid-configuration': json({ issuer, jwks_uri: `${issuer}/keys` }),
      '/keys': json(JSON.parse(jwks)),
    };
  }
  const rules = (cidrs: string[]) => egressRules({ hosts: [], cidrs, ports: [] });
  const newKeys = (cidrs = ['127.0.0.0/8']) =>
    createTrustedKeys({ pools, egress: rules(cidrs) }, log, limits);

  const claims = () => ({ ...githubJob(), iss: issuer });
  /** Proves a bot that trusts these issuers, and returns the reasons of refusals. */
  async function prove(token: string, keys = newKeys(), trusted = [issuer]) {
    const reasons: string[] = [];
    const trusts = trusted.map((name, index) => ({
      id: `btr_${index}`,
      issuer: name,
      subject: '',
      jwks: '',
    }));
    const deps = {
      credentials: {
        matchTrusts: async () => ({ tenant: 'tnt_1', active: true, trusts }),
      },
      admission: { isOpen: async () => ({ open: true }) },
      keys,
      audit: { refused: async (_bot: unknown, reason: string) => void reasons.push(reason) },
    } as unknown as BotProofDeps;
    const request = { ip: loopback, requestId: '', userAgent: '', person: undefined };
    const presented = { token, claims: readSubject(token), request };
    const proof = await proveBot(deps, 'bot_1', presented).catch(() => undefined);
    return proof ? 'proven' : reasons.join();
  }

  test('are fetched once, and only if a trust names the issuer', async () => {
    const keys = newKeys();
    const token = signing.sign(claims());
    assert.equal(await prove(token, keys, []), 'no_trust_matches');
    assert.deepEqual(requests, []);
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => prove(token, keys)));
    assert.deepEqual([...new Set(outcomes)], ['proven']);
    assert.deepEqual(requests, ['/.well-known/openid-configuration', '/keys']);
  });

  test('follow a rotation at once, and fetches nothing more in a flood of unknown keys', async () => {
    const keys = newKeys();
    assert.equal(await prove(signing.sign(claims()), keys), 'proven');
    const next = newSigning('k2');
    publish(next.jwks);
    assert.equal(await prove(next.sign(claims()), keys), 'proven');
    assert.equal(requests.length, 4);
    for (let times = 0; times < 20; times++) {
      const flood = Array.from({ length: 10 }, (_, index) =>
        prove(next.sign(claims(), { kid: `x${times} ${index}` }), keys),
      );
      assert.deepEqual([...new Set(await Promise.all(flood))], ['key_unknown']);
    }
    assert.equal(requests.length, 4);
    assert.equal(await prove(next.sign(claims()), keys), 'proven');
    assert.equal(await prove(signing.sign(claims()), keys), 'key_unknown');
  });

  test('follow a key that replaces another under its kid, at most once a minute', async () => {
    const keys = newKeys();
    assert.equal(await prove(signing.sign(claims()), keys), 'proven');
    const next = newSigning();
    publish(next.jwks);
    assert.equal(await prove(next.sign(claims()), keys), 'proven');
    assert.equal(requests.length, 4);
    const flood = Array.from({ length: 20 }, () => prove(signing.sign(claims()), keys));
    assert.deepEqual([...new Set(await Promise.all(flood))], ['signature_invalid']);
    assert.equal(requests.length, 4);
  });

  test('are not asked for again for a while if the issuer fails', async () => {
    const keys = newKeys();
    routes = { '/.well-known/openid-configuration': json({}, 500) };
    for (let times = 0; times < 20; times++)
      assert.equal(await prove(signing.sign(claims()), keys), 'issuer_unreachable');
    assert.equal(requests.length, 1);
  });

  const discovery = '/.well-known/openid-configuration';
  const large = () => ({ keys: Array.from({ length: 2000 }, () => ({ kid: 'x'.repeat(100) })) });
  const hostile: Record<string, () => void> = {
    'an issuer that redirects': () => {
      routes['/moved'] = routes[discovery] ?? json({});
      routes[discovery] = json({}, 302, { location: `${issuer}/moved` });
    },
    'a slow issuer': () => void (routes[discovery] = () => {}),
    'an issuer with slow keys': () => void (routes['/keys'] = (response) => response.write(' ')),
    'a discovery document of another issuer': () =>
      void (routes[discovery] = json({ issuer: 'https://other.example', jwks_uri: issuer })),
    'a discovery document with a slash at the end of the issuer': () =>
      void (routes[discovery] = json({ issuer: `${issuer}/`, jwks_uri: `${issuer}/keys` })),
    'a discovery document without keys': () => void (routes[discovery] = json({ issuer })),
    'a large key set': () => void (routes['/keys'] = json(large())),
    'keys as HTML': () => void (routes['/keys'] = (response) => response.end('<html>')),
    'keys elsewhere in the network': () =>
      void (routes[discovery] = json({ issuer, jwks_uri: 'http://10.0.0.1/keys' })),
  };
  for (const [title, prepare] of Object.entries(hostile))
    test(`has no keys of ${title}`, async () => {
      prepare();
      assert.equal(await prove(signing.sign(claims())), 'issuer_unreachable');
      assert.ok(requests.every((path) => path !== '/moved'));
    });

  test('has no keys of an issuer in the own network', async () => {
    assert.equal(await prove(signing.sign(claims()), newKeys([])), 'issuer_unreachable');
    assert.deepEqual(requests, []);
  });

  test('are public keys only: a published secret verifies nothing', async () => {
    const { kid } = decodeProtectedHeader(signing.sign(claims()));
    publish(JSON.stringify({ keys: [{ kty: 'oct', k: 'c2VjcmV0', kid, alg: 'RS256' }] }));
    assert.equal(await prove(signing.sign(claims())), 'key_unknown');
  });
});
