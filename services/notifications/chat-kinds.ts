export type ChatKind = 'slack' | 'teams' | 'discord' | 'mattermost' | 'generic';

// Power Automate workflows, and the older connectors.
const teamsHosts = /(^|\.)(webhook\.office\.com|logic\.azure\.com|powerplatform\.com)$/;
const discordHosts = /^(ptb\.|canary\.)?(discord|discordapp)\.com$/;
// At /slack and /github Discord accepts the formats of those services.
const discordPath = /^\/api\/(v\d+\/)?webhooks\/[^/]+\/[^/]+\/?$/;
const mattermostPath = /\/hooks\/[a-z0-9]{26}\/?$/;

/** The chat service of a URL. Everything that accepts `{"text": …}` is generic. */
export function kindOf(url: string): ChatKind {
  const { hostname, pathname } = new URL(url);
  const host = hostname.replace(/\.$/, '');
  if (host === 'hooks.slack.com') return 'slack';
  if (teamsHosts.test(host)) return 'teams';
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
