import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { NoProgram } from './providers.ts';

export type Runner = {
  /** The command line that runs `command` as a user that PostgreSQL accepts. */
  wrap(command: string, args: readonly string[]): [command: string, args: string[]];
  /** The required owner of the data folder, if it is not the current user. */
  owner?: { uid: number; gid: number };
};

/**
 * PostgreSQL does not run as root. In a user namespace that maps root to an ordinary user it does,
 * and ownership and access stay the same. If the kernel or a container forbids that, the process
 * runs as the account `nobody` with the one capability that it needs to reach a checkout and a data
 * folder below root's home. Neither creates an account.
 */
export function findRunner(): Runner {
  if (process.getuid?.() !== 0) return { wrap: (command, args) => [command, [...args]] };
  const { uid, gid } = findNobody();
  const runners: Runner[] = [
    prefix('unshare', ['--user', `--map-user=${uid}`, `--map-group=${gid}`, '--']),
    {
      ...prefix('setpriv', [
        `--reuid=${uid}`,
        `--regid=${gid}`,
        '--clear-groups',
        '--inh-caps=+dac_override',
        '--ambient-caps=+dac_override',
        '--',
      ]),
      owner: { uid, gid },
    },
  ];
  const runner = runners.find(works);
  if (runner) return runner;
  throw new NoProgram(
    'PostgreSQL does not run as root, and neither `unshare --user` nor `setpriv` works here. ' +
      'Start as an ordinary user, name a database (DATABASE_URL=postgres://… npm start), or have Docker running.',
  );
}

function prefix(tool: string, options: string[]): Runner {
  return { wrap: (command, args) => [tool, [...options, command, ...args]] };
}

function works(runner: Runner): boolean {
  const [command, args] = runner.wrap('true', []);
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** initdb looks up its user by number, so the number must exist on the system. */
function findNobody(): { uid: number; gid: number } {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid }) => uid > 0);
  const { uid, gid } = accounts.find(({ name }) => name === 'nobody') ??
    accounts[0] ?? { uid: 65534, gid: 65534 };
  return { uid, gid };
}
