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

/** Whatever has to be there is asked at most every 2 s while it is, however many ask for readiness. */
export function createReadiness(ready: () => Promise<void>): Readiness {
  let checkedAt = 0;
  let problem: string | undefined = 'not checked yet';
  return async () => {
    if (Date.now() - checkedAt < cachedMs && problem === undefined) return problem;
    problem = await problemOf(ready);
    checkedAt = Date.now();
    return problem;
  };
}
