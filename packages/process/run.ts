import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadDeferred } from './deferred.ts';
import { boundHeap, collectLoaded } from './heap.ts';
import { listenHttp } from './listen-http.ts';
import { createProbes } from './probes.ts';
import { problemOf } from './readiness.ts';
import { ConfigurationError } from './settings/config.ts';
import { createLog, type Log } from './telemetry/log.ts';
import { startTelemetry } from './telemetry/telemetry.ts';

/** A running gateway or service. */
export type Running = {
  /** The port for calls, for the log. */
  port: number;
  /** The port for gRPC calls, if there is one. */
  grpcPort?: number;
  /** Rejects while the process must not get calls. */
  ready(): Promise<void>;
  /** Faults that do not keep the process from taking calls, without hosts and paths. */
  concerns(): string[];
  /**
   * Called first, while calls are still accepted: from now on the process's own readiness fails.
   */
  beforeDrain?(): void;
  /** Accepts no new calls and finishes those in flight. */
  drain(): Promise<void>;
  /** Stops background work and closes connections. */
  stop(): Promise<void>;
};

export type ProcessSettings = { host: string; adminPort: number; preDrainMs: number };

/**
 * Runs a process from start to exit: its probes, its graceful shutdown on SIGTERM, SIGINT or the
 * loss of its parent, and the handlers for uncaught errors.
 */
export async function runProcess(
  name: string,
  start: (log: Log) => Promise<{ running: Running; settings: ProcessSettings }>,
): Promise<void> {
  const log = createLog(name);
  process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }));
  process.on('uncaughtException', (error) => {
    log.error('uncaught exception, exiting', { error });
    process.exit(1);
  });
  try {
    const telemetry = await startTelemetry(name, log);
    const { running, settings } = await start(log);
    boundHeap();
    const probes = createProbes(
      () => running.ready(),
      () => running.concerns(),
    );
    const admin = await listenHttp(settings.host, settings.adminPort, (request, response) =>
      request.url === '/metrics' && telemetry.metrics
        ? telemetry.metrics(request, response)
        : probes.handle(request, response),
    );
    log.info('listening', {
      port: running.port,
      grpcPort: running.grpcPort,
      adminPort: admin.port,
    });
    void completeStart(running, log);

    endOnSignals(log, async () => {
      probes.drain();
      running.beforeDrain?.();
      await new Promise((resolve) => setTimeout(resolve, settings.preDrainMs));
      probes.close();
      await running.drain();
      await running.stop();
      await admin.drain();
      await telemetry.stop();
    });
  } catch (error) {
    log.error(
      error instanceof ConfigurationError ? error.message : 'the process could not start',
      error instanceof ConfigurationError ? {} : { error },
    );
    process.exit(error instanceof ConfigurationError ? refusedConfiguration : 1);
  }
}

/** From the first look to the longest pause of a process that is not ready for long. */
const readyPollMs = { first: 50, longest: 2000 };

/** Once the process is ready, loads its deferred parts, and collects the garbage of loading. */
async function completeStart(running: Running, log: Log): Promise<void> {
  let pauseMs = readyPollMs.first;
  while ((await problemOf(() => running.ready())) !== undefined) {
    await sleep(pauseMs, undefined, { ref: false });
    pauseMs = Math.min(1.2 * pauseMs, readyPollMs.longest);
  }
  await loadDeferred().catch((error: unknown) => {
    log.error('a part of the program cannot be loaded, exiting', { error });
    process.exit(1);
  });
  await collectLoaded().catch((error: unknown) =>
    log.warn('collecting garbage after the start failed', { error }),
  );
}

/** EX_CONFIG: a restart with the same settings would fail again. */
const refusedConfiguration = 78;

/**
 * Ends the process, because it must not run with its settings: the message says what to do. For
 * what shows only once the database or the broker answers.
 */
export function endRefused(message: string, log: Log): void {
  log.error(message);
  process.exit(refusedConfiguration);
}

/** Runs `end` at the first signal, and exits. */
function endOnSignals(log: Log, end: () => Promise<void>): void {
  let ending = false;
  const endOnce = (reason: string) => {
    if (ending) return;
    ending = true;
    log.info('stopping', { reason });
    end().then(
      () => {
        log.info('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        log.error('graceful shutdown failed', { error });
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => endOnce(signal));
  // The local start keeps an IPC channel to its children, so that they do not outlive a killed
  // parent.
  process.on('disconnect', () => endOnce('the parent is gone'));
}
