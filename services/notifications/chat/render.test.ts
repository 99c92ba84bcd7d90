import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import type { ChatKind } from '../chat-kinds.ts';
import { type ChatMessage, messageOf } from './message.ts';
import { renderBody } from './render.ts';

const kinds: readonly ChatKind[] = ['slack', 'teams', 'discord', 'mattermost', 'generic'];
const message = (Name: string): ChatMessage =>
  messageOf(
    JSON.stringify({
      id: 'evt_1',
      type: 'group.created',
      timestamp: '2026-01-01T00:00:00.000Z',
      tenant: 'tnt_1',
      actor: { type: 'user', id: 'usr_1' },
      data: { ID: 'grp_1', Name },
    }),
  );
const render = (kind: ChatKind, name = 'Engineering') =>
  JSON.parse(renderBody(kind, message(name))) as Record<string, unknown>;
/** Every text in a body. */
const textsIn = (body: unknown): string[] =>
  typeof body === 'string'
    ? [body]
    : typeof body === 'object' && body !== null
      ? Object.values(body).flatMap((member) => textsIn(member))
      : [];
const text = (kind: ChatKind, name?: string) => textsIn(render(kind, name)).join('\n');

test('a message has the same content in every service', () => {
  for (const kind of kinds) {
    const words = text(kind).replaceAll('\\', '');
    for (const part of [
      'Group created',
      'Group: Engineering (grp_1)',
      'By: user usr_1',
      'Tenant: tnt_1',
      'group.created · evt_1 · 2026-01-01T00:00:00.000Z',
    ]) {
      assert.ok(words.includes(part), `${kind}: ${part}`);
    }
  }
});

test('a Slack message contains no link, mention or control sequence from a name', () => {
  const body = render(
    'slack',
    '<!channel> & <https://evil.example|Bank> @here https://evil.example',
  );
  const [section, context] = body['blocks'] as [
    { type: string; text: object },
    { type: string; elements: object[] },
  ];
  assert.deepEqual(section, {
    type: 'section',
    text: {
      type: 'mrkdwn',
      verbatim: true,
      text: '*Group created*\nGroup: &lt;!channel&gt; &amp; &lt;https://evil.example|Bank&gt; @here https://evil.example (grp_1)\nBy: user usr_1\nTenant: tnt_1',
    },
  });
  assert.deepEqual(context, {
    type: 'context',
    elements: [
      { type: 'mrkdwn', verbatim: true, text: 'group.created · evt_1 · 2026-01-01T00:00:00.000Z' },
    ],
  });
  assert.deepEqual([body['unfurl_links'], body['unfurl_media']], [false, false]);
  assert.ok(textsIn(body).every((words) => !/[<>]/.test(words)));
});

test('a Teams card has plain text only, and evaluates no card function', () => {
  const body = render(
    'teams',
    '**bold** [link](https://evil.example) {{{DATE(2026-01-01T00:00:00Z)}}}',
  ) as {
    type: string;
    attachments: Array<{
      contentType: string;
      content: {
        type: string;
        body: Array<{ type: string; inlines: Array<{ type: string; text: string }> }>;
      };
    }>;
  };
  assert.equal(body.type, 'message');
  const [card] = body.attachments;
  assert.equal(card?.contentType, 'application/vnd.microsoft.card.adaptive');
  assert.equal(card.content.type, 'AdaptiveCard');
  assert.ok(
    card.content.body.every(
      ({ type, inlines }) =>
        type === 'RichTextBlock' && inlines.every((run) => run.type === 'TextRun'),
    ),
  );
  assert.ok(textsIn(body).some((words) => words.includes('**bold** [link](https://evil.example)')));
  assert.ok(textsIn(body).every((words) => !words.includes('{{')));
});

test('a Discord message contains no mention, preview or markdown from a name', () => {
  const body = render(
    'discord',
    '@everyone **x** `y` [z](https://evil.example) <@1> # || :smile: www.evil.example',
  );
  assert.deepEqual(body['allowed_mentions'], { parse: [] });
  assert.equal(body['flags'], 4);
  const content = String(body['content']);
  assert.ok(content.startsWith('**Group created**\n'));
  const [, line = ''] = content.split('\n');
  assert.doesNotMatch(line.replaceAll(/\\[^a-z0-9]/gi, ''), /[@*`[\]()<>#|.:]/);
  assert.match(line, /\\@everyone \\\*\\\*x/);
});

test('a Mattermost message contains no mention or markdown from a name', () => {
  const words = text(
    'mattermost',
    '@channel @all x.@here a@b.example _@all_ :tada: [z](https://evil.example) www.evil.example',
  );
  assert.doesNotMatch(words, /@(all|channel|here)/);
  assert.match(words, /a\\@b\\\.example/);
  assert.doesNotMatch(words.replaceAll(/\\[^a-z0-9]/gi, ''), /\[|\]\(|www\.|https:|:tada:/);
});

test('an unknown chat service gets plain text without mentions', () => {
  const words = text('generic', '@all <users/all> Ada <ada@example.com>');
  assert.doesNotMatch(words, /@all|<users/);
  assert.match(words, /ada@example\.com/);
  assert.deepEqual(Object.keys(render('generic')), ['text']);
});

test('a message stays within the limit of its service, with whole characters and valid JSON', () => {
  const limits: Record<ChatKind, number> = {
    slack: 40_000,
    teams: 28 * 1024,
    discord: 2000,
    mattermost: 16_383,
    generic: 4096,
  };
  // Worst cases: an escape is five times as long, an emoji has two UTF-16 units and four bytes.
  for (const character of ['&', '@', '*', '<', '{', '"', '😀', '\u0800', 'a']) {
    const long = character.repeat(5000);
    const facts = Array.from({ length: 40 }, () => ['Group', long.slice(0, 200)] as const);
    const overlong: ChatMessage = { title: 'x'.repeat(64), facts, footer: long.slice(0, 500) };
    for (const kind of kinds) {
      for (const some of [message(long), overlong]) {
        const json = renderBody(kind, some);
        const texts = textsIn(JSON.parse(json));
        assert.ok(
          texts.every((words) => words.isWellFormed()),
          kind,
        );
        if (kind === 'teams')
          assert.ok(Buffer.byteLength(json) <= limits.teams, `${kind}: ${Buffer.byteLength(json)}`);
        else
          assert.ok(
            texts.every((words) => words.length <= (kind === 'slack' ? 3000 : limits[kind])),
            kind,
          );
        assert.ok(json.length <= limits[kind] * 2, kind);
      }
    }
  }
});

test('cutting a message never splits an escape sequence', () => {
  const facts = Array.from({ length: 20 }, () => ['Group', '&'.repeat(200)] as const);
  const body = JSON.parse(renderBody('slack', { title: 'x', facts, footer: '' })) as {
    blocks: [{ text: { text: string } }];
  };
  assert.match(body.blocks[0].text.text, /&amp;…$/);
  const { content } = JSON.parse(renderBody('discord', { title: 'x', facts, footer: '' })) as {
    content: string;
  };
  assert.ok(content.includes('…'));
});
