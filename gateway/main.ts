import process from 'node:process';
import { readSettings, runProcess } from '@bailiwick/process';
import { openHop, openPeers } from '@bailiwick/wire';
import { listenGateway } from './gateway.ts';
import { gatewaySettings } from './settings.ts';

await runProcess('gateway', async (log) => {
  const settings = readSettings(gatewaySettings, process.env);
  const {
    identityUrl: identity,
    accessUrl: access,
    ssoUrl: sso,
    notificationsUrl: notifications,
  } = settings;
  const hop = openHop(settings, log);
  const peers = await openPeers('gateway', settings, { identity, access, sso, notifications }, hop);
  const alsoReady = () => hop.tokens.assertAccepted();
  return { settings, running: await listenGateway({ settings, peers, log, alsoReady }) };
});
