import { type Credential, jsonPath, type Operation, type Rule } from '../operation.ts';
import type { Json, JsonObject } from './types.ts';

// Who may call an operation, derived from the options that enforce it: as security schemes, and as text.

/** All schemes are bearer tokens. Separate schemes show which tokens an operation accepts. */
export const securitySchemes: JsonObject = {
  worker: bearer('bwkw_…', "The delivery worker's token."),
  portalSession: bearer('bwkt_…', "A session of the receivers' portal, from Portal_Open."),
  botKey: bearer('bwkb_…', "A bot's key, from `BotKeys_Create`, or the platform's own key."),
  session: bearer(
    'bwks_…',
    "A user's session token, from `Account_Login`. With `Cookie: true` a browser sends it as a cookie instead.",
  ),
  accessToken: bearer(
    'JWT',
    'An access token from `/oauth/token` whose `resource` is the public URL. Its scopes limit the permissions.',
  ),
};

function bearer(bearerFormat: string, description: string): Json {
  return { type: 'http', scheme: 'bearer', bearerFormat, description };
}

type Caller = {
  readonly schemes: readonly string[];
  readonly phrase: string;
  readonly sentence: string;
};

const callers: Readonly<Record<Exclude<Credential, 'service'>, Caller>> = {
  none: { schemes: [], phrase: 'everyone', sentence: 'Open: no credential is required.' },
  session: { schemes: ['session'], phrase: 'a session', sentence: 'Requires a session.' },
  any: {
    schemes: ['session', 'botKey'],
    phrase: 'a session or a bot key',
    sentence: 'Requires a session or a bot key.',
  },
  bot: { schemes: ['botKey'], phrase: 'a bot key', sentence: 'Requires a bot key.' },
  worker: {
    schemes: ['worker'],
    phrase: "the delivery worker's token",
    sentence: 'For the delivery worker only.',
  },
  portal: {
    schemes: ['portalSession'],
    phrase: 'a portal session',
    sentence: "Requires a session of the receivers' portal.",
  },
};

const callerOf = ({ name, credential }: Operation): Caller => {
  if (credential === 'service') throw new Error(`${name} is not public`);
  return callers[credential];
};

/** The accepted security schemes, as alternatives. Empty = no credential is required. */
export function security(operation: Operation): Json {
  const { schemes } = callerOf(operation);
  const accepted = takesAccessToken(operation) ? [...schemes, 'accessToken'] : schemes;
  return accepted.map((scheme) => ({ [scheme]: [] }));
}

const takesAccessToken = ({ credential, accessToken }: Operation): boolean =>
  !['none', 'worker', 'portal'].includes(credential) && accessToken !== 'refused';

/** Who may call, in one line. */
export function accessLine(operation: Operation): string {
  const { phrase } = callerOf(operation);
  const rules = ruleTexts(operation).map((rule) =>
    rule.replaceAll('`', '').replace(/^[A-Z]/, (letter) => letter.toLowerCase()),
  );
  return [
    isAboutCaller(operation) ? `${phrase}, about the caller` : phrase,
    ...(rules.length > 0 ? [`: ${rules.join('; or ')}`] : []),
    ...(operation.recentLogin
      ? ['; if the tenant requires it, signed in within the last 15 minutes']
      : []),
  ].join('');
}

/** Who may call, in paragraphs. */
export function accessText(operation: Operation): string[] {
  const { sentence } = callerOf(operation);
  const rules = ruleTexts(operation).map((rule) => `- ${rule}`);
  return [
    isAboutCaller(operation) ? `${sentence} It acts on the caller only.` : sentence,
    ...(rules.length > 0
      ? [`Allowed by${rules.length > 1 ? ' one of' : ''}:\n\n${rules.join('\n')}`]
      : []),
    ...(operation.recentLogin
      ? ['A tenant can require that the caller signed in within the last 15 minutes.']
      : []),
    ...(needsAccount(operation) ? ['An access token needs the scope `account`.'] : []),
  ];
}

/** Whether every access token needs the scope: no permission alone is enough. */
const needsAccount = (operation: Operation): boolean =>
  takesAccessToken(operation) &&
  operation.allow.length > 0 &&
  operation.allow.every(
    ({ kind }) =>
      operation.accessToken === 'account' ||
      kind === 'self' ||
      (kind === 'handler' && operation.accessToken === 'accountForHandler'),
  );

const isAboutCaller = ({ allow }: Operation) =>
  allow.some((rule) => rule.kind === 'self' && rule.field === 'caller');

function ruleTexts(operation: Operation): string[] {
  return operation.allow
    .map((rule) => ruleText(rule, (path) => jsonPath(operation, path)))
    .filter((text) => text !== '');
}

function ruleText(rule: Rule, jsonName: (path: string) => string): string {
  switch (rule.kind) {
    case 'self':
      return rule.field === 'caller' ? '' : `being the user of \`${jsonName(rule.field)}\``;
    case 'tenant':
      return `the permission \`${rule.permission}\` in \`${jsonName(rule.field)}\``;
    case 'platform':
      return [
        `the permission \`${rule.permission}\` on the platform`,
        ...(rule.without === '' ? [] : [`if \`${jsonName(rule.without)}\` is empty`]),
        ...(rule.when === '' ? [] : [`if \`${jsonName(rule.when)}\` is true`]),
      ].join(', ');
    case 'handler':
      return rule.rule.replace(/\.$/, '');
  }
}
