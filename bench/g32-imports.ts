import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { OwnStack } from '@bailiwick/test/support/harness.ts';
import { createTenant } from '@bailiwick/test/support/people.ts';
import { type Bench, type Row } from './bench.ts';
import { type Cost, costOf, costRows } from './cost.ts';
import { createPeople, startMeasured } from './stack.ts';

const main = path.resolve(import.meta.dirname, '../packages/cli/main.ts');
const hash = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
const kibPerMib = 1024;

type Run = Cost & { maxMiB: number; errors: number };

/**
 * G32, `bailiwick import` of users with hashes into a tenant, five processes, and of the same users
 * once more; with the most memory that the tool takes. `--tasks` is the number of users.
 */
export const imports: Bench = async ({ tasks }) => {
  const stack = await startMeasured('five processes');
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-import-'));
  const [person] = await createPeople(stack, 1);
  const tenant = await createTenant(stack, person?.token ?? '');
  const fileOf = (count: number, name: string): string => {
    const file = path.join(folder, `${name}.jsonl`);
    writeFileSync(file, Array.from({ length: count }, (_, index) => lineOf(name, index)).join(''));
    return file;
  };
  const [few, many] = [fileOf(tasks / 10, 'few'), fileOf(tasks, 'many')];
  const small = await runImport(stack, few, tenant);
  const first = await runImport(stack, many, tenant);
  const again = await runImport(stack, many, tenant);
  rmSync(folder, { recursive: true });
  await stack.stop();
  const row = (what: string, unit: string, ours: number, run: Run): Row => ({
    id: 'G32',
    what,
    unit,
    ours,
    errors: run.errors,
  });
  return [
    row(`import of ${tasks} users into a tenant`, 'users/s', tasks / first.seconds, first),
    row('with their events and audit entries', 'users/s', tasks / first.settledSeconds, first),
    row('the same users again', 'users/s', tasks / again.seconds, again),
    ...costRows('G32', 'a new user, without the tool', first, tasks),
    {
      ...row('memory of the tool, at most', 'MiB', first.maxMiB, first),
      against: 'with a tenth of the users',
      other: small.maxMiB,
      ratio: first.maxMiB / small.maxMiB,
      target: { most: 1.5 },
    },
  ];
};

const lineOf = (name: string, index: number): string =>
  `${JSON.stringify({
    Email: `${name}-${index}@example.com`,
    EmailVerified: true,
    ExternalID: `${name}|${index}`,
    Name: `Person ${index}`,
    PasswordHash: hash,
    Metadata: { plan: 'gold' },
  })}\n`;

async function runImport(stack: OwnStack, file: string, tenant: string): Promise<Run> {
  let [maxMiB, errors] = [0, 0];
  const cost = await costOf(stack, async () => {
    ({ maxMiB, errors } = await runTool(stack, file, tenant));
  });
  return { ...cost, maxMiB, errors };
}

async function runTool(
  stack: OwnStack,
  file: string,
  tenant: string,
): Promise<Pick<Run, 'maxMiB' | 'errors'>> {
  const child = spawn(
    process.execPath,
    [main, 'import', file, '--from', 'jsonl', '--tenant', tenant],
    {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        XDG_CONFIG_HOME: path.dirname(file),
        BAILIWICK_URL: stack.url,
        BAILIWICK_TOKEN: stack.platformKey,
      },
      stdio: 'ignore',
    },
  );
  let maxKiB = 0;
  const look = setInterval(() => (maxKiB = Math.max(maxKiB, peakOf(child.pid ?? 0))), 100);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(look);
  return { maxMiB: maxKiB / kibPerMib, errors: code === 0 ? 0 : 1 };
}

/** The most memory that a process has taken so far, in KiB; 0 once it has ended. */
function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
