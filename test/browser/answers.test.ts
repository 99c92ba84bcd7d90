import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { denied, failedPrecondition, invalid, ServiceError } from '@bailiwick/errors';
import { sendErrorPage } from '@bailiwick/gateway/pages/error-page.ts';
import { sendFormPage } from '@bailiwick/gateway/pages/form-page.ts';
import { isPage, sendPage } from '@bailiwick/gateway/pages/pages.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';

// The pages that the gateway answers with during single sign-on, each at an address of that flow.

const prefix = '/iam';
const hostile = `"'><script>alert(1)</script>&amp;{{fields}} $& é\n</form>`;
const fields = {
  SAMLResponse: 'PHNhbWw+',
  RelayState: hostile,
  submit: 'x',
  querySelector: 'y',
  '"><b>': 'z',
};

describe('the gateway’s pages during single sign-on', { skip: withoutChromium }, () => {
  let browser: Browser;
  const problems: string[] = [];
  const closing: Array<() => void> = [];
  before(async () => {
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    for (const close of closing) close();
  });

  async function listen(listener: RequestListener, host = '127.0.0.1'): Promise<string> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://${host}:${(server.address() as AddressInfo).port}`;
  }
  /** A gateway that answers its sign-in routes with this page, and the other routes as usual. */
  async function gatewayThat(
    sends: (...call: Parameters<RequestListener>) => void,
  ): Promise<string> {
    const origin = await listen((request, response) => {
      const pathname = (request.url ?? '').slice(prefix.length);
      if (isPage(pathname)) sendPage(request, response, pathname);
      else sends(request, response);
    });
    return `${origin}${prefix}/auth/tnt_1/sso_1/login`;
  }
  /** Another site, which records the forms that it gets. */
  async function receiver() {
    const forms: URLSearchParams[] = [];
    const take = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
      forms.push(new URLSearchParams(await text(request)));
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Arrived</title>');
    };
    const origin = await listen((request, response) => void take(request, response), '127.0.0.2');
    return { origin, forms };
  }
  async function newPage(options?: Parameters<Browser['newPage']>[0]) {
    const page = await browser.newPage(options);
    page.on('dialog', (dialog) => problems.push(dialog.message()));
    return page;
  }
  // A form's line breaks are sent as CRLF.
  const submitted = Object.entries(fields).map(([name, value]) => [
    name,
    value.replace('\n', '\r\n'),
  ]);

  test('a form submits itself to the other site, with every field unchanged', async () => {
    const { origin, forms } = await receiver();
    const address = await gatewayThat((request, response) =>
      sendFormPage(request, response, { url: `${origin}/sso?a=1&b="{{fields}}`, fields }),
    );
    const page = await newPage();
    await page.goto(address);
    await page.waitForURL(`${origin}/**`);
    assert.equal(await page.title(), 'Arrived');
    assert.deepEqual([...(forms[0] ?? [])], submitted);
    assert.equal(page.url(), `${origin}/sso?a=1&b=%22{{fields}}`);
    assert.deepEqual(problems, []);
  });

  for (const status of [302, 307])
    test(`a form follows the other site’s ${status} redirect to another host`, async () => {
      const { origin, forms } = await receiver();
      const front = await listen((request, response) =>
        request
          .resume()
          .once('end', () => response.writeHead(status, { location: `${origin}/sso` }).end()),
      );
      const page = await newPage();
      await page.goto(
        await gatewayThat((request, response) =>
          sendFormPage(request, response, { url: `${front}/sso`, fields }),
        ),
      );
      await page.waitForURL(`${origin}/sso`);
      assert.equal(await page.title(), 'Arrived');
      assert.deepEqual([...(forms[0] ?? [])], status === 307 ? submitted : []);
    });

  test('without JavaScript a button submits the form', async () => {
    const { origin, forms } = await receiver();
    const address = await gatewayThat((request, response) =>
      sendFormPage(request, response, { url: origin, fields }),
    );
    const page = await newPage({ javaScriptEnabled: false });
    await page.goto(address);
    await photograph(page, 'post');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${origin}/**`);
    assert.deepEqual([...(forms[0] ?? [])], submitted);
  });

  test('a form for https is not submitted over http, and the page is accessible', async () => {
    const { origin, forms } = await receiver();
    const address = await gatewayThat((request, response) =>
      sendFormPage(request, response, { url: 'https://idp.example/sso', fields }),
    );
    const page = await newPage();
    await page.route('**/post.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: '' }),
    );
    await page.goto(address);
    await assertAccessible(page);
    const refused = page.waitForEvent('console', (message) =>
      message.text().includes('form-action'),
    );
    await page.evaluate(`document.querySelector('form').setAttribute('action', '${origin}')`);
    await page.evaluate(`document.querySelector('button').click()`);
    await refused;
    assert.deepEqual(forms, []);
    assert.deepEqual(problems, []);
  });

  const failures = [
    {
      error: failedPrecondition('your <b>organisation</b> has refused you'),
      status: 400,
      says: /Your <b>organisation<\/b> has refused you\./,
    },
    // Without a reason, the code has a text of its own.
    {
      error: denied('no <b>permission</b>'),
      status: 403,
      says: /You are not allowed to do this\./,
    },
    { error: invalid('this sign-in has expired'), status: 400, says: /This sign-in has expired\./ },
    {
      error: new ServiceError('unavailable', '', 'It cannot be reached.'),
      status: 500,
      says: /It cannot be reached\.\s/,
    },
    {
      error: new ServiceError('internal', '', 'select * from secret'),
      status: 500,
      says: /Something went wrong on our side\./,
    },
  ];
  for (const { error, status, says } of failures) {
    test(`the page of ${error.code} explains the error and offers the next step`, async () => {
      const page = await newPage();
      const answer = await page.goto(
        await gatewayThat((request, response) =>
          sendErrorPage(request, response, error, 'id-{{message}}-<i>'),
        ),
      );
      assert.equal(answer?.status(), status);
      const text = await page.locator('main').innerText();
      assert.match(text, says);
      assert.ok(text.includes('id-{{message}}-<i>') && !text.includes('secret'), text);
      await assertAccessible(page);
      await photograph(page, `error-${error.code}`);
      await page.getByRole('link', { name: 'Back to the sign-in page' }).click();
      await page.waitForURL(`**${prefix}/login`);
      await page.context().close();
    });
  }
});
