import { durationOf } from '@bailiwick/contract';
import type { Log } from '@bailiwick/process';
import {
  Credentials,
  type ResolveResponse,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { asService } from '@bailiwick/wire';
import { durationMs } from '@bufbuild/protobuf/wkt';
import { createClient, type Transport } from '@connectrpc/connect';

// A call that is served from the cache is a use of its credential: a session without uses becomes
// idle and ends, and the use of a key is shown. identity says how often it wants to know, and gets
// the uses of all credentials together.

/** How long the uses wait for others. */
const gatherMs = 5000;
/** Uses of one report. */
const mostTogether = 2000;

/** A credential in a cache. */
type Credential = { credentialId: string; tenant: string; everyMs: number; dueAt: number };

/** `at`: when it was used. */
type Use = { credential: Credential; at: number };

type UseTimes = Pick<ResolveResponse, 'firstUseIn' | 'useEvery'>;

const noUse = (): void => {};

/** Records the uses of cached credentials. */
export type Uses = ReturnType<typeof createUses>;

export function createUses(identity: Transport, log: Log) {
  const client = createClient(Credentials, asService(identity, 'gateway'));
  let waiting: Use[] = [];
  let timer: NodeJS.Timeout | undefined;
  let report: Promise<void> = Promise.resolve();

  async function send(uses: readonly Use[]): Promise<void> {
    const now = performance.now();
    try {
      await client.recordUses({
        uses: uses.map(({ credential: { credentialId, tenant }, at }) => {
          return { credentialId, tenant, ago: durationOf(now - at) };
        }),
      });
    } catch (error) {
      // The next use is recorded instead.
      for (const { credential } of uses) credential.dueAt = 0;
      log.warn('recording the uses of credentials failed, retrying with the next ones', { error });
    }
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) await send(waiting.splice(0, mostTogether));
  }

  function record(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    report = report.then(sendAll);
    return report;
  }

  return {
    /** Returns what each use of a cached credential calls. identity has recorded the one of its load. */
    of(
      { credentialId, type, tenant }: Pick<ResolveResponse, 'credentialId' | 'type' | 'tenant'>,
      { firstUseIn, useEvery }: UseTimes,
    ): () => void {
      if (!firstUseIn || !useEvery) return noUse;
      const credential = {
        credentialId,
        tenant: type === 'bot' ? tenant : '',
        everyMs: durationMs(useEvery) - gatherMs,
        dueAt: performance.now() + durationMs(firstUseIn) - gatherMs,
      };
      return () => {
        const at = performance.now();
        if (at < credential.dueAt) return;
        credential.dueAt = at + credential.everyMs;
        waiting.push({ credential, at });
        timer ??= setTimeout(() => void record(), gatherMs).unref();
      };
    },
    /** Records the uses that wait, before the process ends. */
    close: record,
  };
}
