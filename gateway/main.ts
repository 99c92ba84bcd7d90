import process from 'node:process';
import { createCallerSigner } from '@bailiwick/shared/caller.ts';
import { readSettings } from '@bailiwick/shared/config.ts';
import { runProcess } from '@bailiwick/shared/process.ts';
import { createHttpTransport } from '@bailiwick/shared/rpc.ts';
import { listenGateway } from './gateway.ts';
import { gatewaySettings } from './settings.ts';

await runProcess('gateway', async (log) => {
  const settings = readSettings(gatewaySettings, process.env);
  const sign = createCallerSigner('gateway', settings.callerKey);
  const peers = {
    identity: createHttpTransport({ url: settings.identityUrl, audience: 'identity', sign }),
    access: createHttpTransport({ url: settings.accessUrl, audience: 'access', sign }),
    sso: createHttpTransport({ url: settings.ssoUrl, audience: 'sso', sign }),
    notifications: createHttpTransport({ url: settings.notificationsUrl, audience: 'notifications', sign }),
  };
  return { settings, running: await listenGateway({ settings, peers, log }) };
});
