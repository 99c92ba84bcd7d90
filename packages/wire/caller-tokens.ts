import { Buffer } from 'node:buffer';
import { sign, verify } from 'node:crypto';
import { CallerRefusal, unauthenticated } from '@bailiwick/errors';
import { type Log, type Mounted, watchMounted } from '@bailiwick/process';
import {
  type Caller,
  CallerSchema,
  CallerTokenSchema,
  SignedCallerTokenSchema,
} from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { LRUCache } from 'lru-cache';
import { parsePrivateKey, parsePublicKeys } from './caller-keys.ts';

/** Lifetime of a caller token in seconds: enough for one call and a little clock skew. */
const lifetime = 60;
const leeway = 5;

/** The header with the caller token, in calls between processes. */
export const callerHeader = 'x-bailiwick-caller';

// The audience differs for validate-only calls: an older service, which would execute such a call,
// rejects it. "judge" is a former name, which services of the previous version expect.
const audienceOf = (service: string, validateOnly: boolean): string =>
  validateOnly ? `${service} as judge` : service;

/** Seconds for which one signature is reused for calls of the same caller. */
const reuse = 30;

/** Entries of each cache: at about 2 KiB each, two megabytes. */
const maxCached = 1000;

/**
 * Signs callers with a process's own Ed25519 key (PKCS #8 PEM). The request id changes with each
 * call and grants nothing, so it follows the token unsigned: a busy caller's token is signed and
 * verified once in a while.
 */
export function createCallerSigner(issuer: string, privateKeyPem: string) {
  const key = parsePrivateKey(privateKeyPem);
  const tokens = new LRUCache<string, Token>({ max: maxCached });
  // Encoding a caller for the key of `tokens` costs ten times as much as comparing it with the
  // last.
  const recent = new LRUCache<string, Token & { caller: Caller }>({ max: maxCached });

  function signed(caller: Caller, audience: string, now: number): string {
    const token = toBinary(
      CallerTokenSchema,
      create(CallerTokenSchema, { issuer, audience, expiresAt: now + lifetime, caller }),
    );
    const signature = sign(null, token, key);
    return Buffer.from(
      toBinary(SignedCallerTokenSchema, create(SignedCallerTokenSchema, { token, signature })),
    ).toString('base64url');
  }

  /** The token of a caller, from the cache or new. */
  function tokenOf(caller: Caller, meantFor: string, now: number): Token {
    const lasting = { ...caller, requestId: '' };
    // The cache key is the whole caller, so that no caller gets another's permissions.
    const name = `${meantFor} ${Buffer.from(toBinary(CallerSchema, lasting)).toString('latin1')}`;
    const cached = tokens.peek(name);
    if (cached && cached.until > now) return cached;
    const entry = { token: signed(lasting, meantFor, now), until: now + reuse };
    tokens.set(name, entry);
    return entry;
  }

  return (caller: Caller, audience: string): string => {
    const now = Math.floor(Date.now() / 1000);
    const meantFor = audienceOf(audience, caller.validateOnly);
    const { type, id, credentialId, tenant, ip, userAgent, requestId } = caller;
    const name = [meantFor, type, id, credentialId, tenant, ip, userAgent].join('\n');
    let last = recent.peek(name);
    if (!last || last.until <= now || !isSame(last.caller, caller)) {
      last = { caller: { ...caller }, ...tokenOf(caller, meantFor, now) };
      recent.set(name, last);
    }
    return requestId === '' ? last.token : `${last.token}.${requestId}`;
  };
}

type Token = { token: string; until: number };

/**
 * Whether two callers differ in no field but the request id. Compares records and bytes by
 * identity, which is enough for those of a cached right: any difference only makes the signer
 * encode the caller.
 */
function isSame(one: Caller, other: Caller): boolean {
  const fields = Object.keys(other) as Array<keyof Caller>;
  return (
    fields.length === Object.keys(one).length &&
    fields.every((field) => field === 'requestId' || isSameValue(one[field], other[field]))
  );
}

const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other ||
  (Array.isArray(one) &&
    Array.isArray(other) &&
    one.length === other.length &&
    one.every((element, at) => element === other[at]));

/** Signs a caller for the service that is called. */
export type CallerSigner = ReturnType<typeof createCallerSigner>;

/** A signer with the current key of a mounted file. */
export function openCallerSigner(issuer: string, key: Mounted<string>, log: Log): CallerSigner {
  let sign = createCallerSigner(issuer, key.content);
  watchMounted(key, log, (pem) => (sign = createCallerSigner(issuer, pem)));
  return (caller, audience) => sign(caller, audience);
}

/** The form of a request id. It is written to logs and the audit. */
const requestIdForm = /^[\x21-\x7e]{1,256}$/;

/**
 * Verifies callers for one service. `publicKeys` maps each process that may call to its SPKI PEMs.
 * Only the gateway may sign for users, bots and workers; every other process signs for itself.
 */
export function createCallerVerifier(audience: string, publicKeys: ReadonlyMap<string, string>) {
  const keys = new Map([...publicKeys].map(([name, pem]) => [name, parsePublicKeys(pem)]));
  // A token serves many calls: its signature is verified once.
  const verified = new LRUCache<string, { caller: Caller; until: number }>({ max: maxCached });

  function verifyToken(text: string, now: number): Caller {
    const { signed, token } = decode(text) ?? {};
    if (!signed || !token?.caller) throw new CallerRefusal('the caller token is malformed');
    const { issuer, caller: named, expiresAt } = token;
    const issuerKeys = keys.get(issuer) ?? [];
    if (!issuerKeys.some((key) => verify(null, signed.token, key, signed.signature)))
      throw new CallerRefusal('no key of the issuer verifies the caller token');
    if (token.audience !== audienceOf(audience, named.validateOnly))
      throw new CallerRefusal('the caller token is for another service');
    if (expiresAt + leeway < now)
      throw new CallerRefusal(
        `the caller token of ${issuer} was signed ${Math.round(now - expiresAt + lifetime)} s ago, and is valid for ${lifetime} s: a clock is wrong`,
      );
    const isService = named.type === 'service';
    if (isService ? named.id !== issuer : issuer !== 'gateway')
      throw new CallerRefusal('the issuer may not sign caller tokens for this caller');
    // A plain object, like a new caller: it is copied for each call.
    const caller = { ...named };
    verified.set(text, { caller, until: expiresAt });
    return caller;
  }

  return (header: string | undefined): Caller => {
    if (!header) throw unauthenticated('a caller token is required');
    const end = header.indexOf('.');
    const [text, requestId] =
      end < 0 ? [header, ''] : [header.slice(0, end), header.slice(end + 1)];
    if (end >= 0 && !requestIdForm.test(requestId))
      throw new CallerRefusal('the request id of the caller token is malformed');
    const now = Date.now() / 1000;
    const cached = verified.peek(text);
    const caller = cached && cached.until >= now ? cached.caller : verifyToken(text, now);
    // A copy for each call, so that changes do not leak into the next one.
    return { ...caller, requestId };
  };
}

/**
 * Returns the caller of a token. @throws unauthenticated without a token, and CallerRefusal for one
 * that is not valid here
 */
export type CallerVerifier = ReturnType<typeof createCallerVerifier>;

/**
 * A verifier with the current keys of a mounted directory. Removing a key rejects all tokens that
 * it signed.
 */
export function openCallerVerifier(
  audience: string,
  publicKeys: Mounted<ReadonlyMap<string, string>>,
  log: Log,
): CallerVerifier {
  let verifyCaller = createCallerVerifier(audience, publicKeys.content);
  watchMounted(publicKeys, log, (pems) => (verifyCaller = createCallerVerifier(audience, pems)));
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (header) => {
    try {
      return verifyCaller(header);
    } catch (error) {
      // A process that is wrong calls again and again.
      if (error instanceof CallerRefusal) {
        if (performance.now() - loggedAt > logEveryMs) {
          loggedAt = performance.now();
          log.error('refused a caller token', { problem: error.message });
        }
      }
      throw error;
    }
  };
}

const logEveryMs = 10_000;

function decode(header: string) {
  try {
    // Copied: a cached caller is a view of these bytes, and would pin 8 KB of Node's buffer pool.
    const signed = fromBinary(
      SignedCallerTokenSchema,
      new Uint8Array(Buffer.from(header, 'base64url')),
    );
    return { signed, token: fromBinary(CallerTokenSchema, signed.token) };
  } catch {
    return undefined; // not protobuf: rejected like any other forgery
  }
}
