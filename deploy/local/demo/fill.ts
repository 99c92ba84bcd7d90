import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startClock } from './clock.ts';
import { historyDays, tellStory } from './story.ts';
import { createWorld } from './world.ts';

// Fills the demo (run.ts): a process with all services, whose clock goes through the last 30 days
// while the story calls their operations. The first argument is the address of the inbox.

const dayMs = 24 * 60 * 60_000;
/** As long as the local start waits at most. */
const readyLimitMs = 10 * 60_000;
const environment = (name: string): string => process.env[name] ?? '';

const platformKey = readFileSync(environment('BAILIWICK_PLATFORM_KEY_FILE'), 'utf8').trim();
const clock = await startClock(environment('DATABASE_URL'));
const present = Date.now();
await clock.moveTo(new Date(present - historyDays * dayMs));
// The services load after the clock has started.
const [{ runServices }, { identityPart }, { accessPart }, { ssoPart }, notifications, { gateway }] =
  await Promise.all([
    import('@bailiwick/wire'),
    import('@bailiwick/identity/service.ts'),
    import('@bailiwick/access/service.ts'),
    import('@bailiwick/sso/service.ts'),
    import('@bailiwick/notifications/service.ts'),
    import('@bailiwick/gateway/gateway.ts'),
  ]);
await runServices(
  'demo',
  [identityPart, accessPart, ssoPart, notifications.notificationsPart],
  gateway,
);
const address = `http://${environment('BAILIWICK_HOST')}:${environment('PORT')}`;
await waitUntilReady(
  `http://${environment('BAILIWICK_HOST')}:${environment('BAILIWICK_ADMIN_PORT')}`,
);
const world = createWorld({
  gateway: address,
  inbox: process.argv[2] ?? '',
  platformKey,
  clock,
});
await tellStory(world, clock, new Date(present));
process.kill(process.pid, 'SIGTERM');

/** @throws an error with what is not ready */
async function waitUntilReady(probes: string): Promise<void> {
  for (const deadline = performance.now() + readyLimitMs; ; await sleep(50)) {
    const problem = await problemOf(`${probes}/readyz`);
    if (problem === undefined) return;
    if (performance.now() > deadline) throw new Error(`the demo does not become ready: ${problem}`);
  }
}

async function problemOf(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    const text = await response.text();
    return response.ok ? undefined : text.trim();
  } catch (error) {
    return `${url} does not answer: ${String(error)}`;
  }
}
