import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

// npm run generate: writes every generated file that is committed. With --check it writes nothing,
// and fails if a file differs.

const generators = ['../packages/contract/generate.ts', 'docs/write.ts'];

for (const generator of generators) {
  const script = fileURLToPath(new URL(generator, import.meta.url));
  const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
