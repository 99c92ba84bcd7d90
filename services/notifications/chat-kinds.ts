export type ChatKind = 'slack' | 'teams' | 'discord' | 'mattermost' | 'generic';

/** The kind that a client names, and the kind that is stored; "" = none. */
type NamedKinds = { requested: string; stored: string };

/**
 * The kind of an endpoint with this URL. A kind that the client changes is a choice, for hosts that
 * are not known here. A client that sends back the record as it read it chooses nothing: a known
 * host decides, and an unknown one keeps the stored kind.
 */
export function kindFor(url: string, { requested, stored }: NamedKinds): ChatKind {
  const detected = kindOf(url);
  if (requested === '') return detected;
  const isChoice = requested !== stored;
  return isChoice || detected === 'generic' ? (requested as ChatKind) : detected;
}

// Power Automate workflows, and the older connectors, in Microsoft's public cloud and in its clouds
// for governments and China.
const teamsHosts = new RegExp(
  `(^|\\.)(${[
    'webhook.office.com',
    'webhook.office365.us',
    'logic.azure.com',
    'logic.azure.us',
    'logic.azure.cn',
    'powerplatform.com',
    'powerplatform.microsoft.us',
    'appsplatform.us',
    'powerplatform.partner.microsoftonline.cn',
  ]
    .map((host) => host.replaceAll('.', String.raw`\.`))
    .join('|')})$`,
);
// The first connectors had no host of their own.
const teamsPath = /^\/webhook\/[^/]+\/IncomingWebhook\//;
const outlookHosts = ['outlook.office.com', 'outlook.office365.com'];
const slackHosts = ['hooks.slack.com', 'hooks.slack-gov.com'];
const discordHosts = /^(ptb\.|canary\.)?(discord|discordapp)\.com$/;
// At /slack and /github Discord accepts the formats of those services.
const discordPath = /^\/api\/(v\d+\/)?webhooks\/[^/]+\/[^/]+\/?$/;
const mattermostPath = /\/hooks\/[a-z0-9]{26}\/?$/;

/** The chat service of a URL. Everything that accepts `{"text": …}` is generic. */
export function kindOf(url: string): ChatKind {
  const { hostname, pathname } = new URL(url);
  const host = hostname.replace(/\.$/, '');
  if (slackHosts.includes(host)) return 'slack';
  if (teamsHosts.test(host)) return 'teams';
  if (outlookHosts.includes(host) && teamsPath.test(pathname)) return 'teams';
  if (discordHosts.test(host) && discordPath.test(pathname)) return 'discord';
  return mattermostPath.test(pathname) ? 'mattermost' : 'generic';
}

/**
 * Messages a second that a service accepts per hook; 0 = no limit. Discord accepts five in two
 * seconds.
 */
export const chatRates: Readonly<Record<ChatKind, number>> = {
  slack: 1,
  teams: 4,
  discord: 2,
  mattermost: 10,
  generic: 0,
};
