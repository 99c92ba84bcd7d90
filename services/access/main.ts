import process from 'node:process';
import { createCallerSigner } from '@bailiwick/shared/caller.ts';
import { readSettings } from '@bailiwick/shared/config.ts';
import { runProcess } from '@bailiwick/shared/process.ts';
import { createHttpTransport } from '@bailiwick/shared/rpc.ts';
import { listenService } from '@bailiwick/shared/service.ts';
import { createAccess } from './service.ts';
import { accessSettings } from './settings.ts';

await runProcess('access', async (log) => {
  const settings = readSettings(accessSettings, process.env);
  const identity = createHttpTransport({ url: settings.identityUrl, audience: 'identity', sign: createCallerSigner('access', settings.callerKey) });
  const service = await createAccess({ settings, log, peers: { identity } });
  const running = await listenService(service, settings);
  const stop = async () => {
    await running.stop();
    await identity.close();
  };
  return { settings, running: { ...running, stop } };
});
