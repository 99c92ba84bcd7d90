import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { placeholdersIn } from '@bailiwick/texts';
import { placeholders, type TemplateName, templateNames } from './placeholders.ts';
import { partFiles } from './template-files.ts';
import { displayName, localeChain, openTemplates, renderMail } from './templates.ts';

const shipped = openTemplates('');
const locales = ['de', 'en', 'es', 'fr', 'ja', 'pt-BR'];
const values = {
  service: 'Example',
  publicUrl: 'https://iam.example',
  email: 'a@example.org',
  tenantName: 'Acme',
  inviterName: 'Ada',
  name: 'build',
  date: '2026-03-01T12:00:00.000Z',
  left: '3',
  requestedFrom: '192.0.2.7',
  operatorName: 'Grace',
  reason: 'Ticket 4711',
  role: 'platform-owner',
  time: '2026-03-01T12:15:00.000Z',
  token: 'bwkv_x',
  link: 'https://iam.example/verify#token=bwkv_x',
};
const carryingTokens = templateNames.filter((name) =>
  (placeholders[name] as readonly string[]).includes('token'),
);
const textOf = (locale: string, name: string, part: string) =>
  shipped.files.get(`${locale}.${name}.${part}`) ?? '';

/** Opens a directory with these files on top of the built-in ones. */
function open(files: Record<string, string | Uint8Array>) {
  const directory = mkdtempSync(path.join(tmpdir(), 'bailiwick-mails-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
      writeFileSync(path.join(directory, name), text);
    }
    return openTemplates(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('every locale has every mail with the same placeholders', () => {
  assert.deepEqual([...shipped.locales].sort(), locales);
  assert.deepEqual(carryingTokens, [
    'verification',
    'address_verification',
    'reset',
    'sign_in_code',
    'invitation',
  ]);
  for (const name of templateNames) {
    for (const part of Object.values(partFiles)) {
      const expected = placeholdersIn(textOf('en', name, part));
      for (const locale of locales) {
        assert.notEqual(textOf(locale, name, part).trim(), '', `${locale} ${name} ${part}`);
        assert.deepEqual(
          placeholdersIn(textOf(locale, name, part)),
          expected,
          `${locale} ${name} ${part}`,
        );
      }
    }
  }
  for (const locale of locales)
    for (const word of ['unnamed', 'somebody', 'unknown', 'platformKey'])
      assert.ok(shipped.files.get(`${locale}.${word}.txt`), `${locale} ${word}`);
  assert.equal(shipped.files.size, locales.length * (templateNames.length * 3 + 4) + 1);
});

test('a mail uses each of its placeholders, and contains no link without a token', () => {
  for (const name of templateNames) {
    const used = placeholdersIn(textOf('en', name, partFiles.text));
    assert.deepEqual(used, [...placeholders[name], 'email', 'service'].sort(), name);
  }
});

for (const name of templateNames) {
  test(`the mail ${name} renders in every locale`, () => {
    for (const locale of locales) {
      const { subject, text, html } = renderMail(shipped, name, locale, values);
      assert.doesNotMatch(subject, /\n/);
      for (const part of [subject, text, html]) assert.doesNotMatch(part, /\{\{|\}\}/);
      assert.ok(html.includes(`<html lang="${locale}">`));
      // The mail loads nothing when it is opened.
      assert.doesNotMatch(html, /<(img|script|link|iframe|object)\b|url\(|@import|src=/i);
      assert.deepEqual(placeholdersIn(textOf(locale, name, partFiles.subject)), []);
    }
  });
}

for (const name of carryingTokens) {
  test(`the mail ${name} shows the plain token on its own line`, () => {
    for (const locale of locales) {
      const { text, html } = renderMail(shipped, name, locale, values);
      assert.ok(text.split('\n').includes('bwkv_x'));
      // A code is typed in where it was asked for.
      if (name === 'sign_in_code') continue;
      assert.ok(text.split('\n').includes(values.link));
      assert.ok(html.includes(`href="${values.link}"`));
    }
  });
}

test('the text and the HTML of a mail are made of the same paragraphs', () => {
  assert.equal(
    textOf('en', 'invitation', partFiles.text),
    `Hello,

{{inviterName}} invites you to join {{tenantName}} on {{service}}.

Accept or decline
{{link}}

If the page asks for a token, it is:

{{token}}

The invitation is for {{email}} and is valid for 7 days. If you do not know who invited you, please ignore this message.
`,
  );
  assert.equal(
    textOf('en', 'invitation', partFiles.html),
    `<p>Hello,</p>
<p>{{inviterName}} invites you to join {{tenantName}} on {{service}}.</p>
<p><a class="button" href="{{link}}">Accept or decline</a></p>
<p>If the page asks for a token, it is:<br><code>{{token}}</code></p>
<p>The invitation is for {{email}} and is valid for 7 days. If you do not know who invited you, please ignore this message.</p>`,
  );
});

test('a mail uses the closest available locale', () => {
  const chains = {
    'de-CH': ['de', 'en'],
    pt: ['pt-BR', 'en'],
    'pt-PT': ['pt-BR', 'en'],
    'PT-br': ['pt-BR', 'en'],
    fr_CA: ['fr', 'en'],
    'en-GB': ['en'],
    'zh-Hant-TW': ['en'],
    '': ['en'],
  };
  for (const [locale, chain] of Object.entries(chains))
    assert.deepEqual(localeChain(shipped, locale), chain, locale);
  assert.equal(
    renderMail(shipped, 'reset', 'DE-ch', values).subject,
    'Setzen Sie Ihr Passwort zurück',
  );
});

test("an operator's files override the built-in ones one by one, also with the flat names of a ConfigMap", () => {
  const templates = open({
    'de/reset/subject.txt': 'Neues Passwort\n',
    'fr.reset.subject.txt': 'Nouveau mot de passe',
    'layout.html': '<b>{{content}}</b>',
  });
  assert.equal(renderMail(templates, 'reset', 'de', values).subject, 'Neues Passwort');
  assert.equal(renderMail(templates, 'reset', 'fr', values).subject, 'Nouveau mot de passe');
  assert.equal(
    renderMail(templates, 'reset', 'de', values).text,
    renderMail(shipped, 'reset', 'de', values).text,
  );
  assert.match(renderMail(templates, 'reset', 'en', values).html, /^<b><p>Hello,/);
});

test("an operator's locale may have some mails, and falls back for the others", () => {
  const reset = {
    'nl.reset.subject.txt': 'Wachtwoord',
    'nl.reset.text.txt': '{{link}}\n{{token}}',
    'nl.reset.html.html': '<a href="{{link}}">x</a>',
  };
  const templates = open({ ...reset, 'de-CH.somebody.txt': 'Öpper' });
  assert.equal(renderMail(templates, 'reset', 'nl-BE', values).subject, 'Wachtwoord');
  assert.equal(renderMail(templates, 'invitation', 'nl', values).subject, 'You are invited');
  assert.ok(
    renderMail(templates, 'invitation', 'de-CH', { ...values, inviterName: '' }).text.includes(
      'Eine andere Person',
    ),
  );
});

test("an operator's files can override every mail", () => {
  for (const locale of ['en', 'nl']) {
    const files = [...shipped.files]
      .filter(([file]) => file.startsWith('en.'))
      .map(([file, text]) => [file.replace('en', locale), text]);
    assert.ok(open(Object.fromEntries(files)).locales.includes(locale));
  }
  for (const part of [partFiles.text, partFiles.html])
    assert.throws(() => open({ [`en.sign_in_code.${part}`]: 'Hello' }), /lacks \{\{token\}\}/);
});

test("all problems of an operator's files are reported at once", () => {
  const wrong = {
    'de.reset.text.txt': '{{link}} {{tokn}}',
    'de.reset.subject.txt': 'for {{email}}',
    'de.verfication.text.txt': 'x',
    'de.password_changed.html.html': ' ',
    'de.somebody.txt': '{{email}}',
    'nl.reset.subject.txt': 'Wachtwoord',
    'pt-br.reset.subject.txt': 'Senha',
    'a b.unnamed.txt': 'x',
    'layout.html': 'nothing',
    'en.reset.text.txt': new Uint8Array([0xff, 0xfe]),
  };
  assert.throws(
    () => open(wrong),
    ({ message }: Error) => {
      for (const problem of [
        'de.reset.text.txt uses {{tokn}}, which is not available in it',
        'de.reset.text.txt lacks {{token}}',
        'de.reset.subject.txt uses {{email}}, which is not available in it',
        'de.verfication.text.txt is not a file of a mail',
        'de.password_changed.html.html is empty',
        'de.somebody.txt uses {{email}}, which is not available in it',
        'nl.reset.text.txt is missing',
        'nl.reset.html.html is missing',
        'pt-br is spelt pt-BR',
        'a b is not a locale such as nl or zh-TW',
        'layout.html lacks {{content}}',
        'en.reset.text.txt is not UTF-8',
      ])
        assert.ok(message.includes(problem), `${problem}\nis not in\n${message}`);
      return true;
    },
  );
  assert.throws(() => openTemplates('/there/is/none'), /cannot be read/);
});

test('the links that Kubernetes puts beside the keys of a ConfigMap are ignored', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'bailiwick-mails-'));
  mkdirSync(path.join(directory, '..2026_01_01'));
  writeFileSync(path.join(directory, '..2026_01_01', 'de.reset.subject.txt'), 'Neues Passwort');
  symlinkSync('..2026_01_01', path.join(directory, '..data'));
  symlinkSync('..data/de.reset.subject.txt', path.join(directory, 'de.reset.subject.txt'));
  assert.equal(
    renderMail(openTemplates(directory), 'reset', 'de', values).subject,
    'Neues Passwort',
  );
  rmSync(directory, { recursive: true });
});

test('values in HTML are escaped', () => {
  const { html } = renderMail(shipped, 'endpoint_failing', 'en', {
    ...values,
    name: '<b a="1">&\'{{email}}',
  });
  assert.ok(html.includes('&lt;b a=&quot;1&quot;&gt;&amp;&#39;{{email}}'));
});

test('a mail names the platform key for an operator without a name, and for no other name', () => {
  const textFor = (operatorName: string) =>
    renderMail(shipped, 'platform_role_given', 'en', { ...values, operatorName }).text;
  assert.match(textFor(''), /^The platform key has given/m);
  // A name of which nothing can be shown does not pass for the key.
  assert.doesNotMatch(textFor('\u202e'), /platform key/);
});

test('a mail without one of its values throws', () => {
  assert.throws(() =>
    renderMail(shipped, 'reset' satisfies TemplateName, 'en', {
      service: 'x',
      publicUrl: 'x',
      email: 'x',
    }),
  );
});

test('displayName makes one short line without links', () => {
  assert.equal(displayName('  Acme\r\nBcc: x@example.org '), 'Acme Bcc: x example org');
  assert.equal(displayName('Win at https://evil.example/now'), 'Win at https evil example now');
  assert.equal(displayName('St. Mary & Sons'), 'St. Mary & Sons');
  assert.equal(Array.from(displayName('ü'.repeat(200))).length, 64);
  assert.equal(displayName('\u202egnp'), 'gnp');
  assert.equal(displayName('می\u200cخواهم'), 'می\u200cخواهم');
  assert.equal(displayName('\u200d \u200c'), '');
});

test('names in a mail are isolated: all in HTML, and those from right to left in plain text', () => {
  const mailValues = { service: 'x', publicUrl: 'x', email: 'x', token: 'x', link: 'https://x' };
  const names = { tenantName: 'חברה', inviterName: 'Ada' };
  const brand = { name: 'שם', color: '' };
  const { text, html } = renderMail(
    shipped,
    'invitation',
    'en',
    { ...mailValues, ...names },
    brand,
  );
  assert.ok(text.includes('Ada invites you to join \u2068חברה\u2069 on x.'), text);
  assert.ok(html.includes('<bdi>Ada</bdi> invites you to join <bdi>חברה</bdi> on x.'), html);
  assert.ok(html.includes('<bdi>שם</bdi> · x'), html);
  assert.ok(html.includes('href="https://x"'), html);
});
