import process from 'node:process';
import { readSettings } from '@bailiwick/shared/config.ts';
import { openPeers } from '@bailiwick/shared/peers.ts';
import { type Running, runProcess } from '@bailiwick/shared/process.ts';
import { listenService, type Service } from '@bailiwick/shared/service.ts';
import { openTls } from '@bailiwick/shared/tls.ts';
import { createNotifications } from './service.ts';
import { notificationsSettings } from './settings.ts';

await runProcess('notifications', async (log) => {
  const settings = readSettings(notificationsSettings, process.env);
  const hop = { tls: openTls(settings, log), log };
  const peers = await openPeers(
    'notifications',
    settings,
    { access: settings.accessUrl, sso: settings.ssoUrl },
    hop,
  );
  const service = await createNotifications({ settings, log, peers });
  return {
    settings,
    running: settings.roles.includes('api')
      ? await listenService(service, settings, hop)
      : withoutListener(service),
  };
});

/** A process without the api role serves no calls. Its probes are served as usual. */
function withoutListener(service: Service): Running {
  return {
    port: 0,
    ready: () => service.ready(),
    drain: () => Promise.resolve(),
    stop: () => service.stop(),
  };
}
