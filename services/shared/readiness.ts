/** The problem that keeps a process from taking calls, if there is one. */
export type Readiness = () => Promise<string | undefined>;

const cachedMs = 2000;

/** What keeps something from being ready, in words; undefined = nothing. */
export function problemOf(ready: () => Promise<void>): Promise<string | undefined> {
  return ready().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : 'not ready'),
  );
}

/** Below the time-outs of probes: a probe that gets no answer does not say what is wrong. */
const checkLimitMs = 3000;

/**
 * Checks at most every 2 s while everything is there, and never twice at once, however many ask. A check that hangs, as with a
 * database that does not answer, is reported after `limitMs`, and from then on at once until it ends.
 */
export function createReadiness(ready: () => Promise<void>, limitMs = checkLimitMs): Readiness {
  let checkedAt = 0;
  let problem: string | undefined = 'not checked yet';
  let checking: { result: Promise<string | undefined>; beganAt: number } | undefined;

  function check() {
    const result = problemOf(ready).then((found) => {
      problem = found;
      checkedAt = Date.now();
      checking = undefined;
      return found;
    });
    return { result, beganAt: performance.now() };
  }

  return async () => {
    if (Date.now() - checkedAt < cachedMs && problem === undefined) return problem;
    checking ??= check();
    const { result, beganAt } = checking;
    return within(result, Math.max(0, beganAt + limitMs - performance.now()));
  };
}

function within(result: Promise<string | undefined>, ms: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>(
    (resolve) =>
      (timer = setTimeout(
        () => resolve('a check of what this process needs has not ended yet'),
        ms,
      )),
  );
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}
