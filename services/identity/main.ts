import process from 'node:process';
import { readSettings } from '@bailiwick/shared/config.ts';
import { openPeers } from '@bailiwick/shared/peers.ts';
import { runProcess } from '@bailiwick/shared/process.ts';
import { listenService } from '@bailiwick/shared/service.ts';
import { openTls } from '@bailiwick/shared/tls.ts';
import { createIdentity } from './service.ts';
import { identitySettings } from './settings.ts';

await runProcess('identity', async (log) => {
  const settings = readSettings(identitySettings, process.env);
  const hop = { tls: openTls(settings, log), log };
  const peers = await openPeers(
    'identity',
    settings,
    { access: settings.accessUrl, sso: settings.ssoUrl },
    hop,
  );
  const service = await createIdentity({ settings, peers, log });
  return { settings, running: await listenService(service, settings, hop) };
});
