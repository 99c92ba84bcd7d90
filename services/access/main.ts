import process from 'node:process';
import { readSettings } from '@bailiwick/shared/config.ts';
import { openPeers } from '@bailiwick/shared/peers.ts';
import { runProcess } from '@bailiwick/shared/process.ts';
import { listenService } from '@bailiwick/shared/service.ts';
import { openTls } from '@bailiwick/shared/tls.ts';
import { createAccess } from './service.ts';
import { accessSettings } from './settings.ts';

await runProcess('access', async (log) => {
  const settings = readSettings(accessSettings, process.env);
  const hop = { tls: openTls(settings, log), log };
  const peers = await openPeers('access', settings, { identity: settings.identityUrl }, hop);
  const service = await createAccess({ settings, log, peers });
  const running = await listenService(service, settings, hop);
  const stop = async () => {
    await running.stop();
    await peers.identity.close();
  };
  return { settings, running: { ...running, stop } };
});
