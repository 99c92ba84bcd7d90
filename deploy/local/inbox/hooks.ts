import type { Buffer } from 'node:buffer';
import { isSignatureValid, isStandardWebhookValid } from './signatures.ts';

/** A request that a hook received. */
export type Caught = {
  method: string;
  query: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  receivedAt: Date;
  /** The status of the answer. */
  status: number;
};

/**
 * The answer that a hook's URL requests: `status` for the first `times` requests, or for all
 * without `times`.
 */
export type Answer = { status: number; times?: number };

export type Hooks = ReturnType<typeof createHooks>;

const keptRequests = 500;
const keptNames = 500;

export function createHooks(changed: () => void) {
  const hooks = new Map<string, { requests: Caught[]; answered: Map<string, number> }>();
  const open = (name: string) => {
    const existing = hooks.get(name);
    if (existing) return existing;
    const oldest = hooks.keys().next();
    if (hooks.size >= keptNames && !oldest.done) hooks.delete(oldest.value);
    const hook = { requests: [], answered: new Map<string, number>() };
    hooks.set(name, hook);
    return hook;
  };
  return {
    names: (): string[] => [...hooks.keys()],
    list: (name: string): readonly Caught[] => hooks.get(name)?.requests ?? [],
    /** Records the request and returns the status to answer. */
    add(name: string, request: Omit<Caught, 'status'>, answer: Answer | undefined): number {
      const hook = open(name);
      const count = hook.answered.get(request.query) ?? 0;
      const status =
        answer && count < (answer.times ?? Number.POSITIVE_INFINITY) ? answer.status : 200;
      if (answer) hook.answered.set(request.query, count + 1);
      hook.requests = [{ ...request, status }, ...hook.requests].slice(0, keptRequests);
      changed();
      return status;
    },
    clear(name: string): void {
      hooks.delete(name);
      changed();
    },
  };
}

/** A received request as JSON. Includes the validity of the signatures if a secret is given. */
export function describeCaught(caught: Caught, secret: string | undefined) {
  return {
    ReceivedAt: caught.receivedAt.toISOString(),
    Method: caught.method,
    Query: caught.query,
    Status: caught.status,
    Headers: caught.headers,
    Body: caught.body.toString('utf8'),
    BodyBase64: caught.body.toString('base64'),
    ...(secret !== undefined && {
      SignatureValid: isSignatureValid(caught, secret),
      StandardWebhooksValid: isStandardWebhookValid(caught, secret),
    }),
  };
}
