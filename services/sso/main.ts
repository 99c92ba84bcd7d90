import process from 'node:process';
import { readSettings } from '@bailiwick/shared/config.ts';
import { runProcess } from '@bailiwick/shared/process.ts';
import { listenService } from '@bailiwick/shared/service.ts';
import { createSso } from './service.ts';
import { ssoSettings } from './settings.ts';

await runProcess('sso', async (log) => {
  const settings = readSettings(ssoSettings, process.env);
  const service = await createSso({ settings, log });
  return { settings, running: await listenService(service, settings) };
});
