import type { Stack } from '../support/harness.ts';

/** The text of /metrics of a stack's processes. A single process has one admin port. */
export async function scrapeAll(stack: Stack): Promise<string> {
  const pages = Object.values(stack.wiring.ports).map(async ({ admin }) => {
    const response = await fetch(`http://127.0.0.1:${admin}/metrics`).catch(() => undefined);
    return response ? await response.text() : '';
  });
  return (await Promise.all(pages)).join('\n');
}
