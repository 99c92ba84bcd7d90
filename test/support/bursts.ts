import { bodyOf } from './answers.ts';
import type { Answer } from './harness.ts';

const clients = 20;

/**
 * Asks a question all the time, makes a change, and returns how many of `atOnce` concurrent
 * questions before the change and of as many after its reply are answered with true. The change must succeed, and
 * so must the questions that run during it.
 */
export async function countTrue(
  ask: (index: number) => Promise<boolean>,
  change: () => Promise<Answer>,
  atOnce = 200,
): Promise<{ before: number; after: number }> {
  const burst = async () => {
    const answers = await Promise.all(Array.from({ length: atOnce }, (_, index) => ask(index)));
    return answers.filter(Boolean).length;
  };
  const before = await burst();
  let hasChanged = false;
  const meanwhile = Array.from({ length: clients }, async (_, index) => {
    while (!hasChanged) await ask(index);
  });
  try {
    bodyOf(await change());
  } finally {
    hasChanged = true;
  }
  const after = await burst();
  await Promise.all(meanwhile);
  return { before, after };
}
