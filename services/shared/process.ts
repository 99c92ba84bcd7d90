import process from 'node:process';
import { ConfigurationError } from './config.ts';
import { collectLoaded } from './heap.ts';
import { measureLag } from './lag.ts';
import { createLog, type Log } from './log.ts';
import { createReadiness } from './readiness.ts';
import { listenHttp } from './serve.ts';
import { startTelemetry } from './telemetry.ts';

/** What a process runs. */
export type Running = {
  /** Where the process takes calls; for the log. */
  port: number;
  /** Where it takes gRPC calls, if it does. */
  grpcPort?: number;
  /** Rejects while the process should get no calls. */
  ready(): Promise<void>;
  /** Told first, while calls are still taken: what answers readiness by itself says no from here on. */
  beforeDrain?(): void;
  /** Takes no new calls and finishes those in flight. */
  drain(): Promise<void>;
  /** Ends the rest. */
  stop(): Promise<void>;
};

export type ProcessSettings = { host: string; adminPort: number; preDrainMs: number };

/**
 * Runs a process from start to exit: its probes, its orderly end on SIGTERM, SIGINT or the loss of its
 * parent, and the last resort for errors nobody caught.
 */
export async function runProcess(
  name: string,
  start: (log: Log) => Promise<{ running: Running; settings: ProcessSettings }>,
): Promise<void> {
  const log = createLog(name);
  process.on('unhandledRejection', (error) => log.error('an unhandled rejection', { error }));
  process.on('uncaughtException', (error) => {
    log.error('an uncaught exception ends the process', { error });
    process.exit(1);
  });
  try {
    const telemetry = await startTelemetry(name, log);
    const { running, settings } = await start(log);
    await collectLoaded().catch((error: unknown) =>
      log.warn('what loading has left was not collected', { error }),
    );
    const probes = createProbes(running);
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

    let ending = false;
    const end = async (reason: string) => {
      if (ending) return;
      ending = true;
      log.info('stopping', { reason });
      probes.drain();
      running.beforeDrain?.();
      await new Promise((resolve) => setTimeout(resolve, settings.preDrainMs));
      await running.drain();
      await running.stop();
      await admin.drain();
      await telemetry.stop();
      log.info('stopped');
      process.exit(0);
    };
    const endOrFail = (reason: string) => {
      end(reason).catch((error: unknown) => {
        log.error('could not stop in order', { error });
        process.exit(1);
      });
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => endOrFail(signal));
    // The local start keeps a channel to its children: without it they would outlive a killed parent.
    process.on('disconnect', () => endOrFail('the parent is gone'));
  } catch (error) {
    log.error(
      error instanceof ConfigurationError ? error.message : 'the process could not start',
      error instanceof ConfigurationError ? {} : { error },
    );
    // 78 (EX_CONFIG): starting again with the same settings would fail again.
    process.exit(error instanceof ConfigurationError ? 78 : 1);
  }
}

const maxLagMs = 5000;

function createProbes(running: Running) {
  const lag = measureLag();
  let draining = false;
  let started = false;
  const ready = createReadiness(() => running.ready());

  async function readiness(): Promise<string | undefined> {
    if (draining) return 'draining';
    const problem = await ready();
    started ||= problem === undefined;
    return problem;
  }

  function liveness(): string | undefined {
    const worst = lag();
    return worst > maxLagMs ? `the event loop stood still for ${Math.round(worst)} ms` : undefined;
  }

  return {
    drain: () => {
      draining = true;
    },
    async handle(
      request: { url?: string | undefined },
      response: {
        writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
      },
    ) {
      const answer = (failure: string | undefined) =>
        response
          .writeHead(failure === undefined ? 200 : 503, { 'content-type': 'text/plain' })
          .end(`${failure ?? 'ok'}\n`);
      if (request.url === '/livez') answer(liveness());
      else if (request.url === '/readyz') answer(await readiness());
      else if (request.url === '/startupz') answer(started ? undefined : await readiness());
      else response.writeHead(404, { 'content-type': 'text/plain' }).end('no such probe\n');
    },
  };
}
