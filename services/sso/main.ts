import process from 'node:process';
import { listenService } from '@bailiwick/pipeline';
import { readSettings, runProcess } from '@bailiwick/process';
import { openPeers, openRpcContext } from '@bailiwick/wire';
import { createSso } from './service.ts';
import { ssoSettings } from './settings.ts';

await runProcess('sso', async (log) => {
  const settings = readSettings(ssoSettings, process.env);
  const rpcContext = openRpcContext(settings, log);
  const peers = await openPeers(
    'sso',
    settings,
    { identity: settings.identityUrl, access: settings.accessUrl },
    rpcContext,
  );
  const service = await createSso({ settings, peers, log });
  return { settings, running: await listenService(service, settings, rpcContext) };
});
