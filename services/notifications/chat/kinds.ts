export type ChatKind = 'slack' | 'teams' | 'discord' | 'mattermost' | 'generic';

// Workflows of Power Automate, and the connectors before them.
const teamsHosts = /(^|\.)(webhook\.office\.com|logic\.azure\.com|powerplatform\.com)$/;
const discordHosts = /^(ptb\.|canary\.)?(discord|discordapp)\.com$/;
// Below /slack and /github Discord takes the messages of those.
const discordPath = /^\/api\/(v\d+\/)?webhooks\/[^/]+\/[^/]+\/?$/;
const mattermostPath = /\/hooks\/[a-z0-9]{26}\/?$/;

/** Which chat service a URL belongs to. Everything that takes `{"text": …}` is generic. */
export function kindOf(url: string): ChatKind {
  const { hostname, pathname } = new URL(url);
  const host = hostname.replace(/\.$/, '');
  if (host === 'hooks.slack.com') return 'slack';
  if (teamsHosts.test(host)) return 'teams';
  if (discordHosts.test(host) && discordPath.test(pathname)) return 'discord';
  return mattermostPath.test(pathname) ? 'mattermost' : 'generic';
}

/** Messages a second that a service takes for one hook; 0 = as many as there are. Of Discord, five in two seconds. */
export const chatRates: Readonly<Record<ChatKind, number>> = {
  slack: 1,
  teams: 4,
  discord: 2,
  mattermost: 10,
  generic: 0,
};
