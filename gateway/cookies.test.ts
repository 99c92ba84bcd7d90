import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { createSessionCookie } from './cookies.ts';

const requestWith = (headers: Record<string, string>) => Object.assign(new IncomingMessage(new Socket()), { headers });

test('over https the cookie has what __Host- asks for, also below a path', () => {
  for (const publicUrl of ['https://example.com', 'https://example.com/id']) {
    const cookie = createSessionCookie(publicUrl, []);
    const response = new ServerResponse(requestWith({}));
    cookie.set(response, 'bwks_x');
    assert.equal(response.getHeader('set-cookie'), '__Host-bailiwick_session=bwks_x; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax; Secure');
    cookie.clear(response);
    assert.equal(response.getHeader('set-cookie'), '__Host-bailiwick_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure');
    const sent = { cookie: 'a=b; __Host-bailiwick_session=bwks_x' };
    assert.equal(cookie.read(requestWith({ ...sent, origin: 'https://example.com' })), 'bwks_x');
    assert.throws(() => cookie.read(requestWith({ ...sent, origin: 'https://example.com.evil.example' })), { code: 'permission_denied' });
    // Without the prefix anybody's subdomain could have set it.
    assert.equal(cookie.read(requestWith({ cookie: 'bailiwick_session=bwks_x', origin: 'https://example.com' })), undefined);
  }
});
