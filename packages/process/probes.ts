import { createReadiness, readyText } from './readiness.ts';
import { measureLag } from './telemetry/lag.ts';

// The probes of a process. docs/kubernetes.md says what each of them means.

const maxLagMs = 5000;

/**
 * The probes of a process, until it is drained and its port closed. `concerns`: faults that do not keep
 * the process from working, for the operator who reads /readyz.
 */
export function createProbes(isReady: () => Promise<void>, concerns: () => string[] = () => []) {
  const lag = measureLag();
  let phase: 'running' | 'draining' | 'closed' = 'running';
  let started = false;
  const ready = createReadiness(isReady);

  async function readiness(): Promise<string | undefined> {
    if (phase !== 'running') return phase;
    const problem = await ready();
    started ||= problem === undefined;
    return problem;
  }

  /** Like readiness. While the process drains, it succeeds if the process was ready before. */
  async function serving(): Promise<string | undefined> {
    return phase === 'draining' && started ? undefined : readiness();
  }

  function liveness(): string | undefined {
    const worst = lag();
    return worst > maxLagMs ? `the event loop stood still for ${Math.round(worst)} ms` : undefined;
  }

  return {
    drain: () => {
      phase = 'draining';
    },
    /** From now on no calls are accepted. */
    close: () => {
      phase = 'closed';
    },
    async handle(
      request: { url?: string | undefined },
      response: {
        writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
      },
    ) {
      const answer = (failure: string | undefined, details: readonly string[] = []) =>
        response
          .writeHead(failure === undefined ? 200 : 503, { 'content-type': 'text/plain' })
          .end(readyText(failure ?? 'ok', details));
      if (request.url === '/livez') answer(liveness());
      else if (request.url === '/readyz') answer(await readiness(), concerns());
      else if (request.url === '/servingz') answer(await serving());
      else if (request.url === '/startupz') answer(started ? undefined : await readiness());
      else response.writeHead(404, { 'content-type': 'text/plain' }).end('no such probe\n');
    },
  };
}
