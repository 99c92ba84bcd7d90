import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

/** A folder that is gone after the test. */
export function temporaryFolder(test: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'bailiwick-test-'));
  test.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export const quiet = (): void => {};

/** Waits until `condition` holds; throws after a while. */
export async function until(condition: () => boolean | Promise<boolean>, limitMs = 10_000): Promise<void> {
  for (const deadline = Date.now() + limitMs; !(await condition()); await sleep(20)) {
    if (Date.now() > deadline) throw new Error('waited in vain');
  }
}
