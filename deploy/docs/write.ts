import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { root } from '../local/paths.ts';
import { renderChartDefaults } from './chart/defaults.ts';
import { renderChartReadme } from './chart/readme.ts';
import { renderChartSchema } from './chart/schema.ts';
import { renderChartSettings, renderConfiguration } from './configuration.ts';
import { renderEvents, renderEventTypes } from './events.ts';
import { renderPermissions } from './permissions.ts';
import { renderApi } from './reasons.ts';
import { renderRightsSchema } from './rights-schema.ts';

// Generates files from tables in the code.
//
//   node deploy/docs/write.ts            writes the outdated files
//   node deploy/docs/write.ts --check    writes nothing, fails if a file is outdated

/** The generated files: path from the root → function that returns the content. */
export const outputs: ReadonlyMap<string, () => string> = new Map([
  ['docs/configuration.md', renderConfiguration],
  ['helm/bailiwick/files/defaults.yaml', renderChartDefaults],
  ['helm/bailiwick/files/settings.yaml', renderChartSettings],
  ['helm/bailiwick/values.schema.json', renderChartSchema],
  ['helm/bailiwick/README.md', renderChartReadme],
  ['docs/api.md', renderApi],
  ['docs/events.md', renderEvents],
  ['docs/permissions.md', renderPermissions],
  ['packages/cli/rights.schema.json', renderRightsSchema],
  ['services/notifications/events/gen/event-types.json', renderEventTypes],
]);

/** The generated files whose content is outdated. */
export function staleOutputs(): string[] {
  return [...outputs]
    .filter(([path, render]) => readIfThere(path) !== render())
    .map(([path]) => path);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

if (import.meta.main) {
  const stale = staleOutputs();
  if (process.argv.includes('--check')) {
    for (const path of stale) console.error(`out of date: ${path}`);
    process.exitCode = stale.length > 0 ? 1 : 0;
  } else {
    for (const path of stale) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), outputs.get(path)?.() ?? '');
      console.log(`updated: ${path}`);
    }
  }
}
