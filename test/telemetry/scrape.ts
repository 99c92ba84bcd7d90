import type { Stack } from '../harness.ts';

/** What the processes of a stack show at /metrics, as text. In one process there is one admin port. */
export async function scrapeAll(stack: Stack): Promise<string> {
  const pages = Object.values(stack.wiring.ports).map(async ({ admin }) => {
    const response = await fetch(`http://127.0.0.1:${admin}/metrics`).catch(() => undefined);
    return response ? await response.text() : '';
  });
  return (await Promise.all(pages)).join('\n');
}
