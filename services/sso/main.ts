import process from 'node:process';
import { listenService } from '@bailiwick/pipeline';
import { readSettings, runProcess } from '@bailiwick/process';
import { openHop, openPeers } from '@bailiwick/wire';
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
