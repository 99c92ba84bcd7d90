import process from 'node:process';
import { openHop, openPeers, runProcess } from '@bailiwick/process';
import { listenService } from '@bailiwick/service';
import { readSettings } from '@bailiwick/settings';
import { createSso } from './service.ts';
import { ssoSettings } from './settings.ts';

await runProcess('sso', async (log) => {
  const settings = readSettings(ssoSettings, process.env);
  const hop = openHop(settings, log);
  const peers = await openPeers(
    'sso',
    settings,
    { identity: settings.identityUrl, access: settings.accessUrl },
    hop,
  );
  const service = await createSso({ settings, peers, log });
  return { settings, running: await listenService(service, settings, hop) };
});
