const works = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/**
 * Runs `work` each second until the process ends, and does not keep it alive. All of it shares one
 * timer: to wake an idle process costs more CPU than a small check.
 */
export function everySecond(work: () => void): void {
  works.add(work);
  timer ??= setInterval(() => {
    for (const each of works) each();
  }, 1000).unref();
}
