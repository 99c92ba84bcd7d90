import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { createFlowCookies, createSessionCookie } from './cookies.ts';

const requestWith = (headers: Record<string, string>) =>
  Object.assign(new IncomingMessage(new Socket()), { headers });

test('over https the session cookie meets the rules of __Host-, also below a path', () => {
  for (const publicUrl of ['https://example.com', 'https://example.com/id']) {
    const cookie = createSessionCookie(publicUrl, []);
    const response = new ServerResponse(requestWith({}));
    cookie.set(response, 'bwks_x');
    assert.equal(
      response.getHeader('set-cookie'),
      '__Host-bailiwick_session=bwks_x; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax; Secure',
    );
    const over = new ServerResponse(requestWith({}));
    cookie.clear(over);
    assert.equal(
      over.getHeader('set-cookie'),
      '__Host-bailiwick_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure',
    );
    const headers = { cookie: 'a=b; __Host-bailiwick_session=bwks_x' };
    assert.equal(cookie.read(requestWith({ ...headers, origin: 'https://example.com' })), 'bwks_x');
    assert.throws(
      () => cookie.read(requestWith({ ...headers, origin: 'https://example.com.evil.example' })),
      { code: 'permission_denied' },
    );
    // A subdomain could have set a cookie without the prefix.
    assert.equal(
      cookie.read(
        requestWith({ cookie: 'bailiwick_session=bwks_x', origin: 'https://example.com' }),
      ),
      undefined,
    );
  }
});

test('each flow has its own cookie, which other sites may send, and their number is limited', () => {
  const flows = createFlowCookies('https://example.com/id');
  const response = new ServerResponse(requestWith({}));
  flows.set(requestWith({}), response, 'f1', 'b1');
  assert.equal(
    response.getHeader('set-cookie'),
    '__Host-bailiwick_flow_f1=b1; Max-Age=3600; Path=/; HttpOnly; SameSite=None; Secure',
  );
  const many = Array.from({ length: 8 }, (_, index) => `__Host-bailiwick_flow_o${index}=x`);
  const full = requestWith({ cookie: ['a=b', 'bailiwick_flow_z=z', ...many].join('; ') });
  assert.equal(Object.keys(flows.read(full)).length, 8);
  const crowded = new ServerResponse(requestWith({}));
  flows.set(full, crowded, 'f2', 'b2');
  const lines = crowded.getHeader('set-cookie') as string[];
  assert.equal(lines.filter((line) => line.includes('Max-Age=0')).length, 1);
  assert.ok(lines[0]?.startsWith('__Host-bailiwick_flow_o0='), 'the oldest one goes');
  assert.ok(lines.at(-1)?.startsWith('__Host-bailiwick_flow_f2=b2; Max-Age=3600'));
});
