import process from 'node:process';
import { readSettings } from '@bailiwick/shared/config.ts';
import { openPeers } from '@bailiwick/shared/peers.ts';
import { runProcess } from '@bailiwick/shared/process.ts';
import { listenService } from '@bailiwick/shared/service.ts';
import { createIdentity } from './service.ts';
import { identitySettings } from './settings.ts';

await runProcess('identity', async (log) => {
  const settings = readSettings(identitySettings, process.env);
  const peers = await openPeers('identity', settings, { access: settings.accessUrl });
  const service = await createIdentity({ settings, peers, log });
  return { settings, running: await listenService(service, settings) };
});
