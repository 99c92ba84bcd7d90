import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { doMainJob, type Installation } from '../main-job.ts';
import { callerOf } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { takePort } from '../support/ports.ts';
import { type Cluster, hostOf, untilNothing } from './tools.ts';

// A release of the chart in the namespace of a scenario.

const releaseName = 'bailiwick';
const waiting = ['--wait', '--wait-for-jobs', '--timeout', '10m'];
const flags = (values: readonly string[]): string[] =>
  values.flatMap((setting) => ['--set', setting]);

export type Owner = { token: string; tenant: string };
export type Release = Awaited<ReturnType<typeof openRelease>>;
type Options = {
  /** The namespace of the inbox that gets the mails, if the release has none of its own. */
  inboxNamespace?: string;
  /** The chart to install; this project's if absent. */
  chart?: string;
};

export async function openRelease(
  cluster: Cluster,
  { inboxNamespace = cluster.namespace, chart = cluster.chart }: Options = {},
) {
  const gatewayPort = await takePort();
  const url = `http://${loopback}:${gatewayPort}`;

  /** Runs `work` while this machine reaches the gateway and the inbox through forwarded ports. */
  async function reach<Result>(work: (stack: Installation) => Promise<Result>): Promise<Result> {
    const gateway = await cluster.forward(`${releaseName}-gateway`, `${gatewayPort}:8080`);
    try {
      const mails = await cluster.forward(`${releaseName}-inbox`, ':8025', inboxNamespace);
      try {
        return await work({
          url,
          inboxUrl: `http://${loopback}:${mails.port}`,
          hooksUrl: `http://${hostOf(`${releaseName}-inbox`, inboxNamespace)}:8025`,
          call: callerOf(url),
        });
      } finally {
        await mails.stop();
      }
    } finally {
      await gateway.stop();
    }
  }

  return {
    cluster,
    /** The gateway's URL for this machine, while it is forwarded, and in the links of mails. */
    url,
    /** The gateway's URL for pods. */
    inside: `http://${hostOf(`${releaseName}-gateway`, cluster.namespace)}:8080`,
    reach,

    /** @returns the seconds until every pod was ready */
    async install(values: readonly string[]): Promise<number> {
      const began = performance.now();
      await cluster.helm('install', releaseName, chart, ...flags(values), ...waiting);
      return Math.round((performance.now() - began) / 1000);
    },

    /** Upgrades to this project's chart, and waits until the replaced pods have ended. */
    async upgrade(values: readonly string[], ...more: string[]): Promise<void> {
      await cluster.helm(
        'upgrade',
        releaseName,
        cluster.chart,
        ...flags(values),
        ...more,
        ...waiting,
      );
      await replacedPodsEnd(cluster);
    },

    async rollback(): Promise<void> {
      await cluster.helm('rollback', releaseName, ...waiting);
      await replacedPodsEnd(cluster);
    },

    /** The manifests of this project's chart with other values. */
    render: (values: readonly string[]) =>
      cluster.helm('template', releaseName, cluster.chart, ...flags(values)),

    test: () => cluster.helm('test', releaseName),

    /** @returns a signed-in user with a tenant */
    join: (): Promise<Owner> => reach(newOwner),

    /** Makes the calls of the README first, and `more` at the end. */
    use: (more?: (stack: Installation, owner: Owner) => Promise<void>): Promise<Owner> =>
      reach(async (stack) => {
        await doMainJob(stack);
        const owner = await newOwner(stack);
        await more?.(stack, owner);
        return owner;
      }),

    /** Uninstalls the release, and asserts that nothing of it remains. */
    async uninstall(): Promise<void> {
      await cluster.helm('uninstall', releaseName, '--wait', '--timeout', '5m');
      // Helm waits for its objects, but not for pods that are still terminating.
      await untilNothing('objects of the release remain', () => cluster.left(releaseName));
    },
  };
}

async function newOwner(stack: Installation): Promise<Owner> {
  const { token } = await signUp(stack);
  return { token, tenant: await createTenant(stack, token) };
}

/** Waits until the replaced pods have ended, because they still serve calls until then. */
async function replacedPodsEnd(cluster: Cluster): Promise<void> {
  await untilNothing('replaced pods do not end', async () =>
    (await cluster.pods())
      .flatMap(({ metadata }) => (metadata.deletionTimestamp === undefined ? [] : [metadata.name]))
      .join(),
  );
}
