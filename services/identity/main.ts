import process from 'node:process';
import { createCallerSigner } from '@bailiwick/shared/caller.ts';
import { readSettings } from '@bailiwick/shared/config.ts';
import { runProcess } from '@bailiwick/shared/process.ts';
import { createHttpTransport } from '@bailiwick/shared/rpc.ts';
import { listenService } from '@bailiwick/shared/service.ts';
import { createIdentity } from './service.ts';
import { identitySettings } from './settings.ts';

await runProcess('identity', async (log) => {
  const settings = readSettings(identitySettings, process.env);
  const sign = createCallerSigner('identity', settings.callerKey);
  const access = createHttpTransport({ url: settings.accessUrl, audience: 'access', sign });
  const service = await createIdentity({ settings, peers: { access }, log });
  return { settings, running: await listenService(service, settings) };
});
