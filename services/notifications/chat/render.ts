import type { ChatKind } from './kinds.ts';
import type { ChatMessage } from './message.ts';

// A message as each service wants it. Names come from whoever may write them, so that nothing in them may become a
// link, a mention or a command. Texts are cut to the service's limit, the JSON around them never.

/** The body that is posted to an endpoint of this kind: JSON, in UTF-8. */
export function renderBody(kind: ChatKind, message: ChatMessage): string {
  return JSON.stringify(renderers[kind](message));
}

/** What each service takes, in characters after escaping; of Teams' 28 KB what leaves room in a script of three bytes a character. */
const limits = { slackBlock: 3000, discord: 2000, mattermost: 16_383, teams: 5000, generic: 4000 };

const renderers: Record<ChatKind, (message: ChatMessage) => object> = {
  slack,
  teams,
  discord,
  mattermost,
  generic,
};

/**
 * &, < and > are its only controls, and `verbatim` keeps it from making links and mentions of plain words
 * (docs.slack.dev/messaging/formatting-message-text). The text outside is for notifications.
 */
function slack({ title, facts, footer }: ChatMessage): object {
  const head = `*${title}*\n`;
  const text = (words: string) => ({ type: 'mrkdwn', text: words, verbatim: true });
  return {
    text: fit(`${title}\n${linesOf(facts)}`, limits.slackBlock, escapeSlack),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      {
        type: 'section',
        text: text(head + fit(linesOf(facts), limits.slackBlock - head.length, escapeSlack)),
      },
      { type: 'context', elements: [text(fit(footer, limits.slackBlock, escapeSlack))] },
    ],
  };
}

/** A card of Workflows. The runs of a RichTextBlock are plain text, where a TextBlock reads Markdown; both fill in `{{DATE(…)}}`. */
function teams({ title, facts, footer }: ChatMessage): object {
  const block = (text: string, style: object) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...style }],
  });
  const lines = fit(breakFunctions(linesOf(facts)), limits.teams, plain).split('\n');
  const body = [
    block(title, { weight: 'Bolder', size: 'Medium' }),
    ...lines.map((line) => ({ ...block(line, {}), spacing: 'Small' })),
    block(fit(footer, 400, plain), { isSubtle: true, size: 'Small' }),
  ];
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body,
  };
  return {
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content },
    ],
  };
}

/** No mention is ever resolved, whatever the text says; flag 4 leaves out previews of links. */
function discord({ title, facts, footer }: ChatMessage): object {
  const [head, foot] = [`**${title}**\n`, `\n-# ${fit(footer, 400, escapeMarkdown)}`];
  const content =
    head + fit(linesOf(facts), limits.discord - head.length - foot.length, escapeMarkdown) + foot;
  return { content, allowed_mentions: { parse: [] }, flags: 4 };
}

/** It has no switch for mentions: they are broken up. */
function mattermost({ title, facts, footer }: ChatMessage): object {
  const head = `**${title}**\n`;
  const rest = breakMentions(`${linesOf(facts)}\n${footer}`);
  return { text: head + fit(rest, limits.mattermost - head.length, escapeMarkdown) };
}

/** Plain text: what it would mean to a service that we do not know, we do not know. */
function generic({ title, facts, footer }: ChatMessage): object {
  return {
    text: fit(breakMentions(`${title}\n${linesOf(facts)}\n${footer}`), limits.generic, plain),
  };
}

const linesOf = (facts: ChatMessage['facts']): string =>
  facts.map(([label, value]) => `${label}: ${value}`).join('\n');

const plain = (text: string): string => text;

const slackEntities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeSlack = (text: string): string =>
  text.replaceAll(/[&<>]/g, (character) => slackEntities[character] ?? '');

/** A backslash before everything that Markdown, emoji, mentions or addresses on the web are made with. */
const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\\`*_~|<>[\]()#+\-.:!@]/g, '\\$&');

/** An empty character behind what begins a mention. An address of mail has none: its @ stands behind a letter or digit. */
const breakMentions = (text: string): string => text.replaceAll(/(?<![A-Za-z0-9])@|</g, '$&\u200b');

/** An empty character inside what begins a function of a card. */
const breakFunctions = (text: string): string => text.replaceAll(/\{(?=\{)/g, '{\u200b');

/** As much of a text as fits when it is escaped, character by character, so that no escape is cut in two. */
function fit(text: string, limit: number, escape: (text: string) => string): string {
  const whole = escape(text);
  if (whole.length <= limit) return whole;
  let cut = '';
  for (const character of text) {
    const next = escape(character);
    if (cut.length + next.length >= limit) break;
    cut += next;
  }
  return `${cut}…`;
}
