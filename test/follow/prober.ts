import { once } from 'node:events';
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import { type Follower, follower, type Rights } from '@bailiwick/server/server.ts';
import {
  machineMs,
  type Probe,
  type ProberMessage,
  type ProberOptions,
  type Report,
} from './prober-messages.ts';

// A process of an application: followers that decide all the time, as fast as they can. It notes when
// the last decision began that allowed a right.

const [options] = (await once(process, 'message')) as [ProberOptions];
const { urls, credential, followers: count, probes } = options;
const report: Report = { lastAllowed: probes.map(() => 0), probes: 0, unknown: 0 };
let isStopped = false;

const tell = (message: ProberMessage): void => void process.send?.(message);

function decide(rights: Rights, index: number): boolean {
  const { permission, resource } = probes[index] as Probe;
  const at = machineMs();
  try {
    if (rights.can(permission, resource)) report.lastAllowed[index] = at;
    report.probes += 1;
    return true;
  } catch {
    report.unknown += 1;
    return false;
  }
}

async function probe(bailiwick: Follower): Promise<void> {
  const rightsBySubject = new Map<string, Rights>();
  const rightsOf = async ({ subject, tenant }: Probe): Promise<Rights> => {
    const known = rightsBySubject.get(subject);
    if (known) return known;
    const rights = await bailiwick.rightsOf(subject, tenant);
    rightsBySubject.set(subject, rights);
    return rights;
  };
  let isFirst = true;
  while (!isStopped) {
    for (const [index, one] of probes.entries()) {
      try {
        const rights = await rightsOf(one);
        if (!decide(rights, index)) await rights.refresh();
      } catch {
        report.unknown += 1;
      }
      if (index % 64 === 0) await turn();
    }
    if (isFirst) tell({ type: 'ready' });
    isFirst = false;
  }
}

const followers = Array.from({ length: count }, (_, index) =>
  follower({ url: urls[index % urls.length] ?? '', credential, log: () => {} }),
);
process.on('message', () => (isStopped = true));
await Promise.all(followers.map((one) => probe(one)));
for (const one of followers) one.close();
tell({ type: 'report', report });
process.disconnect();
