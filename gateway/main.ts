import process from 'node:process';
import { readSettings } from '@bailiwick/shared/config.ts';
import { openPeers } from '@bailiwick/shared/peers.ts';
import { runProcess } from '@bailiwick/shared/process.ts';
import { openTls } from '@bailiwick/shared/tls.ts';
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
  const hop = { tls: openTls(settings, log), log };
  const peers = await openPeers('gateway', settings, { identity, access, sso, notifications }, hop);
  return { settings, running: await listenGateway({ settings, peers, log }) };
});
