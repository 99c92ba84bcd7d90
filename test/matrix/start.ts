import { startStack, type Topology } from '../support/harness.ts';
import { waitUntilQuiet } from './unchanged.ts';
import { makeWorld, type World } from './world.ts';

/** Starts the product with the callers and the records, and waits until it is idle. */
export async function startWorld(
  topology: Topology = 'one process',
): Promise<World & { stop(): Promise<void> }> {
  const stack = await startStack(topology, {
    BAILIWICK_LIMITS: 'off',
    // Where the example of Account_IssueCode returns to.
    BAILIWICK_ALLOWED_ORIGINS: 'https://app.example.com',
    BAILIWICK_EMAIL_CODES: 'on',
  });
  try {
    const world = await makeWorld(stack);
    await waitUntilQuiet(stack);
    return { ...world, stop: () => stack.stop() };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}
