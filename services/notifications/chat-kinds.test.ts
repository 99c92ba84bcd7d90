import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindFor, kindOf } from './chat-kinds.ts';

const kinds: Record<string, readonly string[]> = {
  slack: [
    'https://hooks.slack.com/services/T0/B0/xyz',
    'https://HOOKS.slack.com/workflows/x',
    'https://hooks.slack.com./services/x',
    'https://hooks.slack-gov.com/services/T0/B0/xyz',
  ],
  teams: [
    'https://acme.webhook.office.com/webhookb2/x/IncomingWebhook/y/z',
    'https://prod-23.westeurope.logic.azure.com/workflows/x/triggers/manual/paths/invoke?sig=y',
    'https://default0.12.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/x/triggers/manual/paths/invoke',
    'https://acme.webhook.office365.us/webhookb2/x/IncomingWebhook/y/z',
    'https://outlook.office.com/webhook/x/IncomingWebhook/y/z',
    'https://prod-1.usgovvirginia.logic.azure.us/workflows/x/triggers/manual/paths/invoke',
    'https://prod-1.chinaeast2.logic.azure.cn/workflows/x/triggers/manual/paths/invoke',
    'https://default0.12.environment.api.gov.powerplatform.microsoft.us/powerautomate/x',
    'https://default0.12.environment.api.high.powerplatform.microsoft.us/powerautomate/x',
    'https://default0.12.environment.api.appsplatform.us/powerautomate/x',
    'https://default0.12.environment.api.powerplatform.partner.microsoftonline.cn/powerautomate/x',
  ],
  discord: [
    'https://discord.com/api/webhooks/1/x',
    'https://discordapp.com/api/webhooks/1/x?wait=true',
    'https://ptb.discord.com/api/v10/webhooks/1/x/',
  ],
  mattermost: [
    'https://chat.example.com/hooks/abcdefghij0123456789klmnop',
    'https://example.com/mattermost/hooks/abcdefghij0123456789klmnop',
  ],
  generic: [
    'https://chat.example.com/hooks/quiet',
    'https://chat.example.com/hooks/abcdefghij0123456789klmnop/more',
    // At /slack Discord accepts Slack's format, which contains the generic message.
    'https://discord.com/api/webhooks/1/x/slack',
    'https://discord.com/login',
    // Lookalike hosts.
    'https://hooks.slack.com.example.com/services/x',
    'https://example.com/hooks.slack.com',
    'https://evilwebhook.office.com/x',
    'https://notdiscord.com/api/webhooks/1/x',
    'https://powerplatform.com.example.com/x',
    'https://outlook.office.com/mail/x',
    'https://logic-azure.us/x',
    'https://hooks.slack-gov.com.example.com/services/x',
  ],
};

for (const [kind, urls] of Object.entries(kinds)) {
  test(`the URLs of ${kind} are recognised`, () => {
    for (const url of urls) assert.equal(kindOf(url), kind, url);
  });
}

const slackUrl = 'https://hooks.slack.com/services/T0/B0/xyz';
const ownUrl = 'https://proxy.example.com/slack';

test('a new endpoint has the kind that the client chooses, else the kind of its URL', () => {
  assert.equal(kindFor(ownUrl, { requested: '', stored: '' }), 'generic');
  assert.equal(kindFor(ownUrl, { requested: 'slack', stored: '' }), 'slack');
  assert.equal(kindFor(slackUrl, { requested: 'generic', stored: '' }), 'generic');
});

test('an update with a record as it was read takes the kind of a known new URL', () => {
  assert.equal(kindFor(slackUrl, { requested: 'teams', stored: 'teams' }), 'slack');
  assert.equal(kindFor(ownUrl, { requested: 'teams', stored: 'teams' }), 'teams');
});
