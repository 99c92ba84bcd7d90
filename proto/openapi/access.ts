import { type Credential, jsonPath, type Operation, type Rule } from '../operation.ts';
import type { Json, JsonObject } from './types.ts';

// Who may call an operation, from the options that enforce it: for programs, and in words.

/**
 * All are bearer tokens; they are told apart so that a reader sees which of them an operation takes.
 */
export const securitySchemes: JsonObject = {
  worker: bearer('bwkw_…', "The delivery worker's token."),
  botKey: bearer('bwkb_…', "A bot's key, from `BotKeys_Create`, or the platform's own key."),
  session: bearer(
    'bwks_…',
    "A signed-in person's session token, from `Account_Login`. Browsers may have it in the cookie that `Cookie: true` sets there.",
  ),
};

function bearer(bearerFormat: string, description: string): Json {
  return { type: 'http', scheme: 'bearer', bearerFormat, description };
}

type Caller = {
  readonly schemes: readonly string[];
  readonly words: string;
  readonly sentence: string;
};

const callers: Readonly<Record<Exclude<Credential, 'service'>, Caller>> = {
  none: { schemes: [], words: 'anybody', sentence: 'Open: no credential is needed.' },
  session: { schemes: ['session'], words: 'a session', sentence: 'Needs a session.' },
  any: {
    schemes: ['session', 'botKey'],
    words: 'a session or a bot key',
    sentence: 'Needs a session or a bot key.',
  },
  bot: { schemes: ['botKey'], words: 'a bot key', sentence: 'Needs a bot key.' },
  worker: {
    schemes: ['worker'],
    words: "the delivery worker's token",
    sentence: 'For the delivery worker alone.',
  },
};

const callerOf = ({ name, credential }: Operation): Caller => {
  if (credential === 'service') throw new Error(`${name} is not public`);
  return callers[credential];
};

/** Any one of these suffices; none is needed where there are none. */
export function security(operation: Operation): Json {
  return callerOf(operation).schemes.map((scheme) => ({ [scheme]: [] }));
}

/** Who may call, on one line. */
export function accessLine(operation: Operation): string {
  const { words } = callerOf(operation);
  const ways = waysOf(operation).map((way) =>
    way.replaceAll('`', '').replace(/^[A-Z]/, (letter) => letter.toLowerCase()),
  );
  return [
    isAboutCaller(operation) ? `${words}, about the caller` : words,
    ...(ways.length > 0 ? [`: ${ways.join('; or ')}`] : []),
    ...(operation.recentLogin
      ? ['; where the tenant demands it, signed in within the last 15 minutes']
      : []),
  ].join('');
}

/** Who may call, in paragraphs. */
export function accessText(operation: Operation): string[] {
  const { sentence } = callerOf(operation);
  const ways = waysOf(operation).map((way) => `- ${way}`);
  return [
    isAboutCaller(operation) ? `${sentence} It is about the caller alone.` : sentence,
    ...(ways.length > 0
      ? [`Allowed ${ways.length > 1 ? 'by any one of these' : 'by'}:\n\n${ways.join('\n')}`]
      : []),
    ...(operation.recentLogin
      ? ['A tenant may demand that the caller signed in within the last 15 minutes.']
      : []),
  ];
}

const isAboutCaller = ({ allow }: Operation) =>
  allow.some((rule) => rule.kind === 'self' && rule.field === 'caller');

function waysOf(operation: Operation): string[] {
  return operation.allow
    .map((rule) => wayText(rule, (path) => jsonPath(operation, path)))
    .filter((way) => way !== '');
}

function wayText(rule: Rule, spelt: (path: string) => string): string {
  switch (rule.kind) {
    case 'self':
      return rule.field === 'caller' ? '' : `being the user of \`${spelt(rule.field)}\``;
    case 'tenant':
      return `the permission \`${rule.permission}\` in \`${spelt(rule.field)}\``;
    case 'platform':
      return [
        `the permission \`${rule.permission}\` on the platform`,
        ...(rule.without === '' ? [] : [`where \`${spelt(rule.without)}\` is empty`]),
        ...(rule.when === '' ? [] : [`where \`${spelt(rule.when)}\` is true`]),
      ].join(', ');
    case 'handler':
      return rule.rule.replace(/\.$/, '');
  }
}
