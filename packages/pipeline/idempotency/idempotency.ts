import { Buffer } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import type { Caller, Mark, Operation } from '@bailiwick/contract';
import { exhausted, failedPrecondition, invalid } from '@bailiwick/errors';
import { type KeyRing, openForPurpose, sealForPurpose } from '@bailiwick/keys';
import { counter, type Log } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { create, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import {
  type Attempt,
  claimCall,
  endWithoutAnswer,
  markOf,
  type StoredCall,
  storeCall,
} from './queries.ts';

// Idempotency-Key: one change for a key, however often and concurrently the call is repeated.
//
// 1. The key is claimed before the handler runs, in a separate statement.
// 2. The transaction that makes a change marks the claim (in `record`). Both commit together.
// 3. The response is stored once the handler has succeeded.
//
// A process that dies between 1 and 2 has changed nothing: a repetition runs after the lease. One
// that dies between 2 and 3 has made a change and lost the response: after the lease repetitions
// fail with failed_precondition, for 24 hours. A handler that fails between 2 and 3 records it, so
// that a repetition fails at once. An attempt that was slower than the lease cannot commit: step 2
// fails, since the claim belongs to the attempt that took over.

const purpose = 'idempotent-call';

const outcomes = counter<{
  outcome: 'executed' | 'replayed' | 'in_progress' | 'mismatch' | 'lost';
}>({
  name: 'bailiwick_idempotent_calls_total',
  about: 'Calls that carried an Idempotency-Key, by outcome.',
});

export type KeyedCall = {
  operation: Operation;
  caller: Caller;
  request: Message;
  key: string;
  /** Throws if the caller may not see the stored response. */
  checkReplay: () => Promise<void>;
};
export type Outcome = { response: Message; replayed: boolean };
/** Runs `work` once for a caller and key, or returns the first response. */
export type Idempotency = ReturnType<typeof createIdempotency>;

type Deps = { database: Database; keyRing: KeyRing; log: Log };

/** Stores and reads responses, sealed. */
function createResponses({ database, keyRing, log }: Deps) {
  const sealField = (id: string, field: string, text: string) =>
    sealForPurpose(keyRing, purpose, text, [database.service, id, field]);
  const openField = (id: string, field: string, sealed: string) =>
    openForPurpose(keyRing, purpose, sealed, [database.service, id, field]);

  /** Claims the key for an attempt. Returns what an earlier attempt has stored. */
  const claim = (call: KeyedCall, attempt: Attempt): Promise<StoredCall | 'busy' | undefined> =>
    claimCall(database, attempt, sealField(attempt.id, 'request', digestOf(call)));

  /** The response of an earlier attempt. Throws without an earlier attempt. */
  function replay(call: KeyedCall, id: string, stored: StoredCall | 'busy'): Message {
    if (stored === 'busy') throw inProgress();
    if (opened(() => openField(id, 'request', stored.request)) !== digestOf(call)) throw mismatch();
    if (stored.running) throw inProgress();
    const answer = stored.answer;
    if (answer === null) throw lost();
    const bytes = Buffer.from(
      opened(() => openField(id, 'answer', answer)),
      'base64',
    );
    outcomes.add({ outcome: 'replayed' });
    return fromBinary(call.operation.method.output, bytes);
  }

  // The change is committed: the caller gets its response even if storing it for a replay fails.
  async function keep(
    { operation, caller }: KeyedCall,
    attempt: Attempt,
    response: Message,
  ): Promise<void> {
    try {
      const answer = Buffer.from(toBinary(operation.method.output, response)).toString('base64');
      await storeCall(database, attempt, sealField(attempt.id, 'answer', answer));
    } catch (error) {
      log.error('storing the response of an idempotent call failed', {
        error,
        operation: operation.name,
        requestId: caller.requestId,
      });
      await end(database, attempt);
    }
  }

  return { claim, replay, keep };
}

/** Creates the function that runs a call with an Idempotency-Key. */
export function createIdempotency(deps: Deps) {
  const { claim, replay, keep } = createResponses(deps);

  async function execute(
    call: KeyedCall,
    attempt: Attempt,
    work: (mark: Mark) => Promise<Message>,
  ): Promise<Message> {
    const response = await work(markOf(attempt)).catch(async (error: unknown) => {
      await end(deps.database, attempt);
      throw error;
    });
    outcomes.add({ outcome: 'executed' });
    await keep(call, attempt, response);
    return response;
  }

  /**
   * Runs `work` once for a caller and key. A repetition gets the first response. `work` gets the
   * mark that the transaction of its change must set.
   */
  return async (call: KeyedCall, work: (mark: Mark) => Promise<Message>): Promise<Outcome> => {
    const attempt = { id: idOf(call), attempt: randomUUID() };
    const stored = await claim(call, attempt);
    if (stored !== undefined) {
      await call.checkReplay();
      return { response: replay(call, attempt.id, stored), replayed: true };
    }
    return { response: await execute(call, attempt, work), replayed: false };
  };
}

// If this fails too, the lease ends the claim.
const end = (database: Database, attempt: Attempt): Promise<void> =>
  endWithoutAnswer(database, attempt).catch(() => {});

/**
 * Keyed by credential and client: two keys of one bot, two sessions of one user, and an app with a
 * token of a session do not share responses, which may contain secrets.
 */
function idOf({ caller, key }: KeyedCall): string {
  const { type, id, credentialId, clientId } = caller;
  const client = clientId === '' ? [] : [clientId];
  return sha256(JSON.stringify([type, id, credentialId, ...client, key]));
}

const digestOf = ({ operation, request }: KeyedCall): string =>
  sha256(
    Buffer.concat([
      Buffer.from(`${operation.name}\n`),
      toBinary(operation.method.input, create(operation.method.input, request)),
    ]),
  );

const sha256 = (input: string | Uint8Array): string =>
  createHash('sha256').update(input).digest('hex');

/** Opens a stored field. If the key ring no longer has the key, the response counts as lost. */
function opened(open: () => string): string {
  try {
    return open();
  } catch {
    throw lost();
  }
}

function inProgress() {
  outcomes.add({ outcome: 'in_progress' });
  return exhausted('a request with this Idempotency-Key is in progress, try again later', 1);
}

function mismatch() {
  outcomes.add({ outcome: 'mismatch' });
  return invalid('this Idempotency-Key was used for a different request', 'IDEMPOTENCY_KEY_REUSED');
}

function lost() {
  outcomes.add({ outcome: 'lost' });
  return failedPrecondition(
    'the request with this Idempotency-Key was carried out, but its answer was lost: look at the result before you repeat it with another key',
    'IDEMPOTENT_ANSWER_LOST',
  );
}
