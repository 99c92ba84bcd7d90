import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { displayName, fill, readTemplates, renderTemplate, templateNames } from './templates.ts';

const templates = readTemplates(path.join(import.meta.dirname, 'templates'));
const values = {
  publicUrl: 'https://iam.example',
  email: 'a@example.org',
  tenantName: 'Acme',
  token: 'bwkv_x',
  link: 'https://iam.example/verify#token=bwkv_x',
};

for (const name of templateNames) {
  test(`the mail ${name} can be filled in`, () => {
    const template = templates('en').templates.get(name);
    assert.ok(template);
    const { subject, text, html } = renderTemplate(template, values);
    assert.doesNotMatch(subject, /\n/);
    for (const part of [subject, text, html]) assert.doesNotMatch(part, /\{\{|\}\}/);
  });
}

for (const name of ['verification', 'reset', 'invitation'] as const) {
  test(`the mail ${name} shows the bare token on a line of its own`, () => {
    const template = templates('en').templates.get(name);
    assert.ok(template);
    const { text, html } = renderTemplate(template, values);
    assert.ok(text.split('\n').includes('bwkv_x'));
    assert.ok(text.split('\n').includes(values.link));
    assert.ok(html.includes(`href="${values.link}"`));
  });
}

test('a mail is written in the closest locale there is', () => {
  assert.equal(templates('de-CH'), templates('en'));
  assert.equal(templates('en-GB'), templates('en'));
  assert.equal(templates(''), templates('en'));
});

test('what is filled into HTML stays text', () => {
  assert.equal(
    renderTemplate({ subject: '', text: '', html: '<p>{{tenantName}}</p>' }, { tenantName: '<b a="1">&\'' }).html,
    '<p>&lt;b a=&quot;1&quot;&gt;&amp;&#39;</p>',
  );
});

test('what is filled in is not looked at for placeholders again', () => {
  assert.equal(
    fill('{{a}}', { a: '{{b}} $& $1', b: 'secret' }, (value) => value),
    '{{b}} $& $1',
  );
});

test('a placeholder without a value is a defect', () => {
  assert.throws(() => fill('{{constructor}}', {}, (value) => value));
});

test('a name in a mail is one short line without links', () => {
  assert.equal(displayName('  Acme\r\nBcc: x@example.org '), 'Acme Bcc: x example org');
  assert.equal(displayName('Win at https://evil.example/now'), 'Win at https evil example now');
  assert.equal(displayName('St. Mary & Sons'), 'St. Mary & Sons');
  assert.equal(Array.from(displayName('ü'.repeat(200))).length, 64);
  assert.equal(displayName('\u202egnp'), 'gnp');
});
