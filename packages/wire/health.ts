import { setTimeout as sleep } from 'node:timers/promises';
import type { Readiness } from '@bailiwick/process';
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from '@bailiwick/proto/gen/grpc/health/v1/health_pb.ts';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';

/** How often a Watch checks whether the process is still ready. */
const watchIntervalMs = 1000;

export type HealthState = {
  readiness: Readiness;
  /** Aborted when the process begins to stop: from then on it is NOT_SERVING. */
  stopping: AbortSignal;
  /** Aborted when the connections are drained: all watches end. */
  drained: AbortSignal;
};

/**
 * The standard gRPC health service. It needs no caller token and reveals only whether the process
 * takes calls.
 */
export function healthHandlers(
  { readiness, stopping, drained }: HealthState,
  services: ReadonlySet<string>,
): ServiceImpl<typeof Health> {
  const statusOf = async (service: string) => {
    if (service !== '' && !services.has(service)) return Status.SERVICE_UNKNOWN;
    return !stopping.aborted && (await readiness()) === undefined
      ? Status.SERVING
      : Status.NOT_SERVING;
  };

  return {
    async check({ service }) {
      const status = await statusOf(service);
      if (status === Status.SERVICE_UNKNOWN)
        throw new ConnectError('no such service', Code.NotFound);
      return { status };
    },

    async *watch({ service }, { signal }) {
      const stop = AbortSignal.any([signal, drained]);
      for (let last: Status | undefined; !stop.aborted; ) {
        const status = await statusOf(service);
        if (status !== last) yield { status };
        last = status;
        // A stop wakes the watch at once.
        const wake = stopping.aborted ? stop : AbortSignal.any([stop, stopping]);
        await sleep(watchIntervalMs, undefined, { signal: wake }).catch(() => {});
      }
      throw new ConnectError('the process is shutting down', Code.Unavailable);
    },
  };
}
