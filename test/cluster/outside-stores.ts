import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { chartDir } from '../chart/helm.ts';
import { containerSecurity, podSecurity } from './client-pod.ts';
import { type Cluster, hostOf } from './tools.ts';

// A database, a broker and an inbox that are not part of the release, as a platform team brings
// them: in a namespace of their own, with logins.

/** So small that a test fills it. In memory, so that its size is a limit on every cluster. */
const brokerDisk = '64Mi';

const serverCpu = 100;
/** Milli-CPUs that the three servers request. */
export const storesCpu = 3 * serverCpu;

type Server = {
  name: string;
  image: string;
  user: number;
  ports: readonly number[];
  container: object;
  volumes?: ReadonlyArray<{ name: string; mountPath: string; emptyDir: object }>;
};

const server = ({ name, image, user, ports, container, volumes = [] }: Server) => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: {
      clusterIP: 'None',
      selector: { app: name },
      ports: ports.map((port) => ({ name: `tcp-${port}`, port })),
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      replicas: 1,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          ...podSecurity(user),
          containers: [
            {
              name,
              image,
              imagePullPolicy: 'IfNotPresent',
              securityContext: containerSecurity,
              resources: { requests: { cpu: `${serverCpu}m`, memory: '128Mi' } },
              volumeMounts: volumes.map((volume) => ({
                name: volume.name,
                mountPath: volume.mountPath,
              })),
              ...container,
            },
          ],
          volumes: volumes.map(({ name: volume, emptyDir }) => ({ name: volume, emptyDir })),
        },
      },
    },
  },
];

const owner = { user: 'owner', password: 'owner-password' };
const services = { user: 'services', password: 'services-password' };
const broker = { user: 'bailiwick', password: 'broker-password' };

/** The images that the chart's evaluation uses. */
const images = (
  parse(readFileSync(`${chartDir}/values.yaml`, 'utf8')) as {
    evaluation: { postgres: { image: string }; nats: { image: string } };
  }
).evaluation;

/** Starts them in `cluster`'s namespace. @returns the URLs for a release in another one */
export async function startStores(cluster: Cluster, image: string) {
  const ownHost = (name: string) => hostOf(name, cluster.namespace);
  const inbox = `
import { startInbox } from '/app/deploy/local/inbox/inbox.ts';
await startInbox({ host: '0.0.0.0', httpPort: 8025, smtpPort: 1025 });
`;
  await cluster.apply([
    ...server({
      name: 'postgres',
      image: images.postgres.image,
      user: 70,
      ports: [5432],
      container: {
        args: ['-c', 'max_connections=300'],
        env: Object.entries({
          POSTGRES_USER: owner.user,
          POSTGRES_PASSWORD: owner.password,
          POSTGRES_DB: 'bailiwick',
        }).map(([name, value]) => ({ name, value })),
        readinessProbe: {
          exec: { command: ['pg_isready', '--host=127.0.0.1'] },
          periodSeconds: 2,
        },
      },
      volumes: [
        { name: 'data', mountPath: '/var/lib/postgresql', emptyDir: {} },
        { name: 'socket', mountPath: '/var/run/postgresql', emptyDir: {} },
      ],
    }),
    ...server({
      name: 'nats',
      image: images.nats.image,
      user: 65532,
      ports: [4222, 8222],
      container: {
        command: [
          'nats-server',
          '--jetstream',
          '--store_dir=/data',
          '--http_port=8222',
          `--user=${broker.user}`,
          `--pass=${broker.password}`,
        ],
        readinessProbe: { httpGet: { path: '/healthz', port: 8222 }, periodSeconds: 2 },
        livenessProbe: {
          httpGet: { path: '/healthz?js-enabled-only=true', port: 8222 },
          periodSeconds: 5,
        },
      },
      volumes: [
        {
          name: 'data',
          mountPath: '/data',
          emptyDir: { medium: 'Memory', sizeLimit: brokerDisk },
        },
      ],
    }),
    ...server({
      name: 'bailiwick-inbox',
      image,
      user: 65532,
      ports: [1025, 8025],
      container: {
        command: ['node', '--input-type=module', '--eval', inbox],
        readinessProbe: { tcpSocket: { port: 8025 }, periodSeconds: 2 },
      },
    }),
  ]);
  for (const name of ['postgres', 'nats', 'bailiwick-inbox'])
    await cluster.kubectl('rollout', 'status', `statefulset/${name}`, '--timeout=180s');
  const makeLogin = `create role ${services.user} login password '${services.password}'`;
  const psql = ['psql', '--username', owner.user, '--dbname', 'bailiwick', '--command', makeLogin];
  await cluster.kubectl('exec', 'postgres-0', '--', ...psql);
  const databaseUrl = ({ user, password }: typeof owner) =>
    `postgres://${user}:${password}@${ownHost('postgres')}:5432/bailiwick`;
  return {
    namespace: cluster.namespace,
    hostOf: ownHost,
    databaseUrl: databaseUrl(services),
    migrationsUrl: databaseUrl(owner),
    brokerUrl: `nats://${broker.user}:${broker.password}@${ownHost('nats')}:4222`,
    monitoring: `${ownHost('nats')}:8222`,
    mailUrl: `smtp://${ownHost('bailiwick-inbox')}:1025`,

    /**
     * Fills the broker's disk. @returns a function that frees it again and restarts the server,
     * whose streams refuse messages after a failed write until then
     */
    async fillBroker(): Promise<() => Promise<void>> {
      const inBroker = (script: string) =>
        cluster.kubectl('exec', 'nats-0', '--', 'sh', '-c', script);
      await inBroker('dd if=/dev/zero of=/data/filling bs=64k 2>/dev/null; true');
      return async () => void (await inBroker('rm /data/filling; kill 1'));
    },
  };
}

export type Stores = Awaited<ReturnType<typeof startStores>>;
