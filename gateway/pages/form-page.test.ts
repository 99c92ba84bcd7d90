import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { sendFormPage } from './form-page.ts';

/** Fetches a form page as a browser would. */
async function formPage(url: string, fields: Record<string, string> = {}) {
  const server = createServer((request, response) =>
    sendFormPage(request, response, { url, fields }),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return {
      policy: response.headers.get('content-security-policy') ?? '',
      caching: response.headers.get('cache-control'),
      html: await response.text(),
    };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a form page allows its form only the scheme of its address, and only our own scripts and styles', async () => {
  const { policy, caching } = await formPage('https://*;sandbox/sso?x=;script-src *');
  assert.match(policy, /; form-action https:; base-uri 'none'; /);
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
  assert.doesNotMatch(policy, /unsafe|\*|sandbox/);
  assert.equal(caching, 'no-store');
});

test('a form page escapes the address, the names and the values', async () => {
  const { html } = await formPage(`https://idp.example/?a="><script>&b='`, {
    '"><i>': `</form>'"&lt;`,
  });
  assert.match(html, /action="https:\/\/idp\.example\/\?a=%22%3E%3Cscript%3E&amp;b=%27"/);
  assert.match(
    html,
    /<input type="hidden" name="&quot;&gt;&lt;i&gt;" value="&lt;\/form&gt;&#39;&quot;&amp;lt;" \/>/,
  );
  assert.equal(html.match(/<script/g)?.length, 1);
  assert.doesNotMatch(html, /<script[^>]*>[^<]|<style|\son\w+=/);
});

test('a form page is rejected for addresses other than http and https', () => {
  const request = {} as Parameters<typeof sendFormPage>[0];
  const response = {} as Parameters<typeof sendFormPage>[1];
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'ftp://idp.example', 'idp.example'])
    assert.throws(() => sendFormPage(request, response, { url, fields: {} }), TypeError, url);
});
