import process from 'node:process';
import { listenService } from '@bailiwick/pipeline';
import { readSettings, runProcess } from '@bailiwick/process';
import { openPeers, openRpcContext } from '@bailiwick/wire';
import { createIdentity } from './service.ts';
import { identitySettings } from './settings.ts';

await runProcess('identity', async (log) => {
  const settings = readSettings(identitySettings, process.env);
  const rpcContext = openRpcContext(settings, log);
  const peers = await openPeers(
    'identity',
    settings,
    { access: settings.accessUrl, sso: settings.ssoUrl },
    rpcContext,
  );
  const service = await createIdentity({ settings, peers, log });
  return { settings, running: await listenService(service, settings, rpcContext) };
});
