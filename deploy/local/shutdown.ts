export type Step = { what: string; stop(): Promise<unknown>; kill(): unknown };

export type Shutdown = ReturnType<typeof createShutdown>;

/** Collects started things, and stops them in reverse order. */
export function createShutdown(say: (line: string) => void) {
  const steps: Step[] = [];
  return {
    add(step: Step): void {
      steps.push(step);
    },
    async stop(): Promise<void> {
      for (let step = steps.at(-1); step; step = steps.at(-1)) {
        try {
          await step.stop();
        } catch (error) {
          say(
            `${step.what} did not stop in order: ${error instanceof Error ? error.message : String(error)}`,
          );
        }
        steps.pop(); // only now, so that a second Ctrl-C kills the step that hangs
      }
    },
    async kill(): Promise<void> {
      await Promise.allSettled(steps.map(async (step) => step.kill()));
    },
  };
}
