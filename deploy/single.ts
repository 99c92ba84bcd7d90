import process from 'node:process';
import { createAccess } from '@bailiwick/access/service.ts';
import { listenGateway } from '@bailiwick/gateway/gateway.ts';
import { createIdentity } from '@bailiwick/identity/service.ts';
import { createNotifications } from '@bailiwick/notifications/service.ts';
import { createLog, readSettings, runProcess } from '@bailiwick/process';
import { createSso } from '@bailiwick/sso/service.ts';
import { createLocalTransport } from '@bailiwick/wire';
import { singleSettings } from './settings.ts';

// All of Bailiwick in one process, for small installations: the same services, with direct calls
// instead of HTTP.

await runProcess('bailiwick', async (log) => {
  const settings = readSettings(singleSettings, process.env);
  const peers = {
    identity: createLocalTransport(),
    access: createLocalTransport(),
    sso: createLocalTransport(),
    notifications: createLocalTransport(),
  };
  /** The settings of a service whose schema may be in a database of its own. */
  const at = (databaseUrl: string) => ({ ...settings, databaseUrl });
  const { identityDatabaseUrl, accessDatabaseUrl, ssoDatabaseUrl } = settings;
  const services = await Promise.all([
    createIdentity({ settings: at(identityDatabaseUrl), peers, log: createLog('identity') }),
    createAccess({ settings: at(accessDatabaseUrl), peers, log: createLog('access') }),
    createSso({ settings: at(ssoDatabaseUrl), peers, log: createLog('sso') }),
    createNotifications({ settings, peers, log: createLog('notifications') }),
  ]);
  for (const service of services)
    peers[service.name as keyof typeof peers].connect(service.dispatch);
  const alsoReady = async () => {
    await Promise.all(services.map((service) => service.ready()));
  };
  const alsoConcerned = () => [...new Set(services.flatMap((service) => service.concerns()))];
  const gateway = await listenGateway({ settings, peers, log, alsoReady, alsoConcerned });
  return {
    settings,
    running: {
      ...gateway,
      stop: async () => {
        await gateway.stop();
        await Promise.all(services.map((service) => service.stop()));
      },
    },
  };
});
