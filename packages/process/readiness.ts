/** Returns the problem that keeps a process from taking calls; undefined = ready. */
export type Readiness = () => Promise<string | undefined>;

/** The answer of a readiness probe: a line for its state, and one for each concern. */
export const readyText = (state: string, concerns: readonly string[]): string =>
  [state, ...concerns.map((concern) => `degraded: ${concern}`)].map((line) => `${line}\n`).join('');

const cachedMs = 2000;

/** The problem of a readiness check as text; undefined = none. */
export function problemOf(ready: () => Promise<void>): Promise<string | undefined> {
  return ready().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : 'not ready'),
  );
}

/** Shorter than the timeout of probes: a probe that times out shows no reason. */
const checkLimitMs = 3000;

/**
 * Checks at most every 2 s while ready, and never concurrently. A hanging check, such as of a
 * database that does not respond, is reported after `limitMs`, and then at once until it ends.
 */
export function createReadiness(ready: () => Promise<void>, limitMs = checkLimitMs): Readiness {
  let checkedAt = 0;
  let problem: string | undefined = 'not checked yet';
  let checking: { result: Promise<string | undefined>; beganAt: number } | undefined;

  function check() {
    const result = problemOf(ready).then((reason) => {
      problem = reason;
      checkedAt = Date.now();
      checking = undefined;
      return reason;
    });
    return { result, beganAt: performance.now() };
  }

  return async () => {
    const age = Date.now() - checkedAt;
    // A clock that was set back makes it negative.
    if (age >= 0 && age < cachedMs && problem === undefined) return problem;
    checking ??= check();
    const { result, beganAt } = checking;
    return within(result, Math.max(0, beganAt + limitMs - performance.now()));
  };
}

function within(result: Promise<string | undefined>, ms: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>(
    (resolve) => (timer = setTimeout(() => resolve('a readiness check has not finished'), ms)),
  );
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}
