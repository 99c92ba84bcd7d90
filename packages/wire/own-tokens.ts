import { counter, type Log } from '@bailiwick/process';

// A service refuses the caller tokens of a process whose clock is wrong, or whose key it does not
// have. That is the process's own failure and says nothing of its client's credential.

const refusals = counter<{ service: string }>({
  name: 'bailiwick_caller_token_refusals_total',
  about: "Calls that a service refused for this process's caller token.",
});

/** The refusals come with every call, so a log line for each would hide all others. */
const logEveryMs = 10_000;

/** The verdict of the services on this process's caller tokens. */
export type OwnTokens = ReturnType<typeof createOwnTokens>;

export function createOwnTokens(log: Log) {
  const refusing = new Map<string, string>();
  const probes = new Map<string, () => Promise<unknown>>();
  let loggedAt = Number.NEGATIVE_INFINITY;

  return {
    /** Adds a service. `probe` calls it without effect, and never rejects. */
    watch(service: string, probe: () => Promise<unknown>): void {
      refusals.add({ service }, 0);
      probes.set(service, probe);
    },

    /** A service has refused a token. */
    refused(service: string, { problem, at }: { problem: string; at: number }): void {
      refusals.add({ service });
      const differenceMs = Date.now() - at;
      const clock =
        Math.abs(differenceMs) < 1000
          ? ''
          : `: its clock is ${Math.abs(Math.round(differenceMs / 1000))} s ${differenceMs < 0 ? 'behind' : 'ahead'}`;
      refusing.set(service, `${service} refuses the caller tokens of this process${clock}`);
      if (performance.now() - loggedAt < logEveryMs) return;
      loggedAt = performance.now();
      log.error('a service refuses the caller tokens of this process', {
        callee: service,
        problem,
        clockDifferenceMs: differenceMs,
      });
    },

    /** A service has accepted a token. */
    accepted: (service: string): void => void (refusing.size > 0 && refusing.delete(service)),

    /**
     * Rejects while no service accepts this process's tokens. A single service that refuses them may
     * be wrong itself, and must not take all its callers out of service.
     */
    async assertAccepted(): Promise<void> {
      if (refusing.size === 0) return;
      const accepting = new Set<string>();
      await Promise.all(
        [...probes].map(async ([service, probe]) => {
          const answer = await probe();
          if (answer === true) accepting.add(service);
        }),
      );
      const [problem] = refusing.values();
      if (problem !== undefined && accepting.size === 0) throw new Error(problem);
    },
  };
}
