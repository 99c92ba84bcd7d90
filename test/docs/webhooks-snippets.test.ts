import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { signature } from '@bailiwick/notifications/webhooks/sign.ts';
import { deliver, makeEndpoint, newestAt, type Owner, rawOf } from '../delivery/endpoints.ts';
import { bodyOf } from '../support/answers.ts';
import { type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { type Case, codeOf, languages, marks, missing, verdicts } from './snippets.ts';

const bodies: ReadonlyArray<readonly [name: string, body: Buffer]> = [
  ['an event', Buffer.from('{"id":"evt_1","type":"group.created"}')],
  ['unicode', Buffer.from('{ "name" : "ünïcödé 🦉" }\r\n')],
  ['bytes', Buffer.from([0, 255, 10, 13, 254, 9])],
];

describe('the code of docs/webhooks.md', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-snippets-'));
  const cases: Array<Case & { what: string; genuine: boolean }> = [];
  let stack: Stack;
  before(async () => {
    stack = await sharedStack('one process');
    const { token } = await signUp(stack);
    const owner: Owner = { stack, token, tenant: await createTenant(stack, token) };
    const { id, secret: previous } = await makeEndpoint(owner, 'snippets');
    const { secret: other } = await makeEndpoint(owner, 'snippets-other');
    const secret = String(
      bodyOf(await stack.call('Webhooks_RotateSecret', { Tenant: owner.tenant, ID: id }, token))[
        'Secret'
      ],
    );
    for (const [name, payload] of bodies) {
      await deliver(owner, id, payload);
      const request = await newestAt(stack, 'snippets');
      const [body, header] = [rawOf(request), request.Headers['x-webhook-signature'] ?? ''];
      const add = (what: string, genuine: boolean, one: Partial<Case>) =>
        cases.push({ secret, header, body, ...one, what: `${name}, ${what}`, genuine });
      add('the current secret', true, {});
      add('the previous secret', true, { secret: previous });
      add('another secret', false, { secret: other });
      add('another body', false, { body: Buffer.concat([body, Buffer.from(' ')]) });
      add('no signature', false, { header: header.replaceAll('v1=', 'v0=') });
      add('another time', false, {
        header: header.replace(/t=\d+/, `t=${Math.floor(Date.now() / 1000) + 30}`),
      });
      for (const [what, seconds, genuine] of [
        ['four minutes old', -240, true],
        ['six minutes old', -360, false],
        ['six minutes ahead', 360, false],
      ] as const)
        add(what, genuine, {
          header: signature([other, secret], Math.floor(Date.now() / 1000) + seconds, body),
        });
    }
    const [first] = cases;
    assert.ok(first);
    for (const header of [
      '',
      'nonsense',
      't=,v1=',
      't=1,v1=zz',
      'v1=00',
      `t=${'9'.repeat(40)},v1=00`,
    ])
      cases.push({ ...first, header, what: `the header ${header}`, genuine: false });
  });
  after(async () => {
    await stack?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is in at least five languages, each with a driver, and allows five minutes of difference', () => {
    assert.deepEqual(
      marks.sort(),
      Object.values(languages)
        .map(({ mark }) => mark)
        .sort(),
    );
    assert.ok(marks.length >= 5);
    for (const language of Object.values(languages))
      assert.ok(codeOf(language).includes('300') || codeOf(language).includes('5 * time.Minute'));
  });

  for (const [name, language] of Object.entries(languages)) {
    test(`${name} accepts the product’s deliveries, and nothing else`, async (t) => {
      const why = await missing(name, language, path.join(folder, `${name}-probe`));
      if (why !== '') return t.skip(why);
      const said = await verdicts(language, cases, path.join(folder, name));
      assert.equal(said.length, cases.length);
      assert.deepEqual(
        cases.filter(({ genuine }, index) => said[index] !== genuine).map(({ what }) => what),
        [],
      );
    });
  }

  test('runs in at least three languages', async () => {
    const reasons = await Promise.all(
      Object.entries(languages).map(([name, language]) =>
        missing(name, language, path.join(folder, `${name}-count`)),
      ),
    );
    assert.ok(reasons.filter((why) => why === '').length >= 3, reasons.join('; '));
  });
});
