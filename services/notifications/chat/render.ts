import type { ChatKind } from '../chat-kinds.ts';
import type { ChatMessage } from './message.ts';

// Renders a message for each service. Names are untrusted: nothing in them may become a link, a
// mention or a command. Texts are cut to the service's limit; the JSON around them stays whole.

/** The body to post to an endpoint of this kind: JSON in UTF-8. */
export function renderBody(kind: ChatKind, message: ChatMessage): string {
  return JSON.stringify(renderers[kind](message));
}

/**
 * The limit of each service, in characters after escaping. For Teams' 28 KB this leaves room for
 * scripts with three bytes a character.
 */
const limits = { slackBlock: 3000, discord: 2000, mattermost: 16_383, teams: 5000, generic: 4000 };

const renderers: Record<ChatKind, (message: ChatMessage) => object> = {
  slack,
  teams,
  discord,
  mattermost,
  generic,
};

/**
 * Slack's only control characters are &, < and >. `verbatim` keeps it from turning plain words into
 * links and mentions (docs.slack.dev/messaging/formatting-message-text). The outer text is for
 * notifications.
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

/**
 * An adaptive card for Workflows. RichTextBlock runs are plain text, while a TextBlock renders
 * Markdown; both evaluate `{{DATE(…)}}`.
 */
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

/** `allowed_mentions` disables all mentions; flag 4 suppresses link previews. */
function discord({ title, facts, footer }: ChatMessage): object {
  const [head, foot] = [`**${title}**\n`, `\n-# ${fit(footer, 400, escapeMarkdown)}`];
  const content =
    head + fit(linesOf(facts), limits.discord - head.length - foot.length, escapeMarkdown) + foot;
  return { content, allowed_mentions: { parse: [] }, flags: 4 };
}

/** Mattermost cannot disable mentions, so they are broken up. */
function mattermost({ title, facts, footer }: ChatMessage): object {
  const head = `**${title}**\n`;
  const rest = breakMentions(`${linesOf(facts)}\n${footer}`);
  return { text: head + fit(rest, limits.mattermost - head.length, escapeMarkdown) };
}

/** Plain text, because the formatting rules of an unknown service are unknown. */
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

/** Escapes everything that Markdown, emoji, mentions and web addresses are made of. */
const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\\`*_~|<>[\]()#+\-.:!@]/g, '\\$&');

/**
 * Puts a zero-width space after the start of a mention. Mail addresses stay intact: their @ follows
 * a letter or digit.
 */
const breakMentions = (text: string): string => text.replaceAll(/(?<![A-Za-z0-9])@|</g, '$&\u200b');

/** Puts a zero-width space into the start of a card function. */
const breakFunctions = (text: string): string => text.replaceAll(/\{(?=\{)/g, '{\u200b');

/** Cuts a text to the limit after escaping, character by character, so that no escape is split. */
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
