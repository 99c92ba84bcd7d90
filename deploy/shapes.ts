import type { SettingTable } from '@bailiwick/process';
import { processSettings } from '@bailiwick/wire';
import type { Wiring } from './local/environment.ts';
import { type ServiceName, serviceNames } from './local/secrets.ts';
import { settingTables } from './settings.ts';

/** A process: the services that it holds, the first of which gives it its ports, and its program. */
export type ProcessPlan = {
  name: string;
  services: readonly [ServiceName, ...ServiceName[]];
  script: string;
  settings: SettingTable;
};

const planOf = (
  name: string,
  script: string,
  ...services: [ServiceName, ...ServiceName[]]
): ProcessPlan => ({
  name,
  services,
  script,
  settings: processSettings(
    Object.fromEntries(services.map((service) => [service, settingTables[service]])),
  ),
});

const scriptOf = (service: ServiceName): string =>
  service === 'gateway' ? 'gateway/main.ts' : `services/${service}/main.ts`;

/** The shapes of an installation: which processes hold its services. */
export const shapes = {
  services: serviceNames.map((name) => planOf(name, scriptOf(name), name)),
  compact: [
    planOf('serve', 'deploy/serve.ts', 'gateway', 'identity', 'access', 'sso'),
    planOf('deliver', scriptOf('notifications'), 'notifications'),
  ],
  single: [planOf('bailiwick', 'deploy/single.ts', ...serviceNames)],
} as const satisfies Record<string, readonly ProcessPlan[]>;

/** The settings of every process of every shape. */
export const processTables: readonly SettingTable[] = Object.values(shapes).flatMap((plans) =>
  plans.map(({ settings }) => settings),
);

export type Shape = keyof typeof shapes;

/** The ports in a shape: the services of a process share its ports, and its gateway has one more. */
export function foldPorts(shape: Shape, ports: Wiring['ports']): Wiring['ports'] {
  const folded = shapes[shape].flatMap(({ services }) => {
    const [first, last = first] = [services[0], services.at(-1)];
    const { grpc, admin } = ports[first];
    return services.map((service) => [
      service,
      { rpc: ports[service === 'gateway' ? service : last].rpc, grpc, admin },
    ]);
  });
  return Object.fromEntries(folded) as Wiring['ports'];
}
