import process from 'node:process';
import { openHop, openPeers, runProcess } from '@bailiwick/process';
import { listenService } from '@bailiwick/service';
import { readSettings } from '@bailiwick/settings';
import { createIdentity } from './service.ts';
import { identitySettings } from './settings.ts';

await runProcess('identity', async (log) => {
  const settings = readSettings(identitySettings, process.env);
  const hop = openHop(settings, log);
  const peers = await openPeers(
    'identity',
    settings,
    { access: settings.accessUrl, sso: settings.ssoUrl },
    hop,
  );
  const service = await createIdentity({ settings, peers, log });
  return { settings, running: await listenService(service, settings, hop) };
});
