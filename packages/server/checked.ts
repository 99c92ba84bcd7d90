// Current decisions: Access_Check, with a short cache.

export type Question = {
  tenant: string;
  /** A user or bot: `sub` of the token. */
  subject: string;
  permission: string;
  /** Without it, the whole tenant. */
  resource?: string | undefined;
};

/**
 * Whether the subject holds the permission now. A token may have fewer rights than its subject: see
 * `inScope`. @throws the client's error if there is no answer
 */
export type Checked = (question: Question) => Promise<boolean>;

/** The client of `@bailiwick/client`, with the key of a bot that holds iam.grants.read. */
export type AccessClient = {
  call(
    operation: 'Access_Check',
    request: { Tenant: string; Subject: string; Permission: string; Resource: string },
  ): Promise<{ Allowed: boolean }>;
};

export type CheckedOptions = {
  /** How long an answer is cached, in ms. Default and maximum: 2000; 0 = not cached. */
  cacheMs?: number | undefined;
  /** The most answers in the cache. Default: 10,000. */
  maxEntries?: number | undefined;
};

const maxLifetimeMs = 2000;

/** Creates a function that asks Access_Check, and caches an answer for at most two seconds. */
export function checked(client: AccessClient, options: CheckedOptions = {}): Checked {
  const { cacheMs = maxLifetimeMs, maxEntries = 10_000 } = options;
  const lifetimeMs = Math.min(cacheMs, maxLifetimeMs);
  // In the order of asking, so that the first entry is the oldest.
  const answers = new Map<string, { answer: Promise<boolean>; askedAt: number }>();

  return ({ tenant, subject, permission, resource = '' }) => {
    const key = JSON.stringify([tenant, subject, permission, resource]);
    const cached = answers.get(key);
    const now = performance.now();
    if (cached && now - cached.askedAt < lifetimeMs) return cached.answer;
    answers.delete(key);
    const answer = client
      .call('Access_Check', {
        Tenant: tenant,
        Subject: subject,
        Permission: permission,
        Resource: resource,
      })
      .then(({ Allowed }) => Allowed);
    if (lifetimeMs <= 0) return answer;
    const entry = { answer, askedAt: now };
    answers.set(key, entry);
    for (const oldest of answers.keys()) {
      if (answers.size <= maxEntries) break;
      answers.delete(oldest);
    }
    // Failures are not cached.
    answer.catch(() => {
      if (answers.get(key) === entry) answers.delete(key);
    });
    return answer;
  };
}
