import process from 'node:process';
import { listenService } from '@bailiwick/pipeline';
import { readSettings, runProcess } from '@bailiwick/process';
import { openPeers, openRpcContext } from '@bailiwick/wire';
import { createAccess } from './service.ts';
import { accessSettings } from './settings.ts';

await runProcess('access', async (log) => {
  const settings = readSettings(accessSettings, process.env);
  const rpcContext = openRpcContext(settings, log);
  const peers = await openPeers('access', settings, { identity: settings.identityUrl }, rpcContext);
  const service = await createAccess({ settings, log, peers });
  const running = await listenService(service, settings, rpcContext);
  const stop = async () => {
    await running.stop();
    await peers.identity.close();
  };
  return { settings, running: { ...running, stop } };
});
