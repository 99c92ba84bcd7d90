import process from 'node:process';
import { readSettings, runProcess } from '@bailiwick/process';
import { openPeers, openRpcContext } from '@bailiwick/wire';
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
  const rpcContext = openRpcContext(settings, log);
  const peers = await openPeers(
    'gateway',
    settings,
    { identity, access, sso, notifications },
    rpcContext,
  );
  const alsoReady = () => rpcContext.tokens.assertAccepted();
  return { settings, running: await listenGateway({ settings, peers, log, alsoReady }) };
});
