import process from 'node:process';
import { createCallerSigner } from '@bailiwick/shared/caller.ts';
import { readSettings } from '@bailiwick/shared/config.ts';
import { type Running, runProcess } from '@bailiwick/shared/process.ts';
import { createHttpTransport } from '@bailiwick/shared/rpc.ts';
import { listenService, type Service } from '@bailiwick/shared/service.ts';
import { createNotifications } from './service.ts';
import { notificationsSettings } from './settings.ts';

await runProcess('notifications', async (log) => {
  const settings = readSettings(notificationsSettings, process.env);
  const sign = createCallerSigner('notifications', settings.callerKey);
  const access = createHttpTransport({ url: settings.accessUrl, audience: 'access', sign });
  const service = await createNotifications({ settings, log, peers: { access } });
  return { settings, running: settings.roles.includes('api') ? await listenService(service, settings) : uncalled(service) };
});

/** A process that only works takes no calls; its probes are served as ever. */
function uncalled(service: Service): Running {
  return { port: 0, ready: () => service.ready(), drain: () => Promise.resolve(), stop: () => service.stop() };
}
