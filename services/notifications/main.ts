import process from 'node:process';
import { listenService, type Service } from '@bailiwick/pipeline';
import { type Running, readSettings, runProcess } from '@bailiwick/process';
import { openPeers, openRpcContext } from '@bailiwick/wire';
import { createNotifications } from './service.ts';
import { notificationsSettings } from './settings.ts';

await runProcess('notifications', async (log) => {
  const settings = readSettings(notificationsSettings, process.env);
  const rpcContext = openRpcContext(settings, log);
  const peers = await openPeers(
    'notifications',
    settings,
    { access: settings.accessUrl, sso: settings.ssoUrl },
    rpcContext,
  );
  const service = await createNotifications({ settings, log, peers });
  return {
    settings,
    running: settings.roles.includes('api')
      ? await listenService(service, settings, rpcContext)
      : withoutListener(service),
  };
});

/** A process without the api role serves no calls. Its probes are served as usual. */
function withoutListener(service: Service): Running {
  return {
    port: 0,
    ready: () => service.ready(),
    concerns: () => service.concerns(),
    drain: () => Promise.resolve(),
    stop: () => service.stop(),
  };
}
