export type Step = { what: string; stop(): Promise<unknown>; kill(): unknown };

export type Stops = ReturnType<typeof createStops>;

/** What has been started, to be stopped in reverse order. */
export function createStops(say: (line: string) => void) {
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
        steps.pop(); // only now: a second Ctrl-C has to find the one that hangs
      }
    },
    async kill(): Promise<void> {
      await Promise.allSettled(steps.map(async (step) => step.kill()));
    },
  };
}
