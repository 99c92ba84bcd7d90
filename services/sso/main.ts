import process from 'node:process';
import { readSettings } from '@bailiwick/shared/config.ts';
import { openPeers } from '@bailiwick/shared/peers.ts';
import { runProcess } from '@bailiwick/shared/process.ts';
import { listenService } from '@bailiwick/shared/service.ts';
import { openTls } from '@bailiwick/shared/tls.ts';
import { createSso } from './service.ts';
import { ssoSettings } from './settings.ts';

await runProcess('sso', async (log) => {
  const settings = readSettings(ssoSettings, process.env);
  const hop = { tls: openTls(settings, log), log };
  const peers = await openPeers(
    'sso',
    settings,
    { identity: settings.identityUrl, access: settings.accessUrl },
    hop,
  );
  const service = await createSso({ settings, peers, log });
  return { settings, running: await listenService(service, settings, hop) };
});
