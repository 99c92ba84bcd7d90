import { Buffer } from 'node:buffer';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { type Caller, CallerSchema, CallerTokenSchema, SignedCallerTokenSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { hasPermission } from '@bailiwick/proto/permissions.ts';
import { unauthenticated } from './errors.ts';

export type { Caller };

/** A caller token lives this long, in seconds: enough for one call and a clock that is a little off. */
const lifetime = 60;
const leeway = 5;

/** The header that carries a caller token between the processes. */
export const callerHeader = 'x-bailiwick-caller';

/** The id of the caller that works off the queue, which is nobody's request. */
export const queueWorker = 'queue';

/** A service calling in its own name. */
export function serviceCaller(service: string, requestId = ''): Caller {
  return create(CallerSchema, { type: 'service', id: service, requestId });
}

/** Whether the caller holds a permission in its token's tenant. */
export function holdsInTenant(caller: Caller, permission: string, tenant: string): boolean {
  return tenant !== '' && caller.tenant === tenant && hasPermission(caller.permissions, permission);
}

export function holdsOnPlatform(caller: Caller, permission: string): boolean {
  return hasPermission(caller.platformPermissions, permission);
}

/** Seconds for which one signature serves all calls of a service in its own name, which say nothing else of a call. */
const reuse = 30;

/** Signs callers with a process's own Ed25519 key (PKCS #8 PEM). */
export function createCallerSigner(issuer: string, privateKeyPem: string) {
  const key = createPrivateKey(privateKeyPem);
  const own = new Map<string, { header: string; until: number }>();

  function signed(caller: Caller, audience: string, now: number): string {
    const token = toBinary(CallerTokenSchema, create(CallerTokenSchema, { issuer, audience, expiresAt: now + lifetime, caller }));
    const signature = sign(null, token, key);
    return Buffer.from(toBinary(SignedCallerTokenSchema, create(SignedCallerTokenSchema, { token, signature }))).toString('base64url');
  }

  return (caller: Caller, audience: string): string => {
    const now = Math.floor(Date.now() / 1000);
    if (caller.type !== 'service' || caller.requestId !== '') return signed(caller, audience, now);
    const name = `${caller.id} ${audience}`;
    const known = own.get(name);
    if (known && known.until > now) return known.header;
    const header = signed(caller, audience, now);
    own.set(name, { header, until: now + reuse });
    return header;
  };
}

export type CallerSigner = ReturnType<typeof createCallerSigner>;

/**
 * Verifies callers for one service. `publicKeys` maps each process that may call to its SPKI PEM.
 * Only the gateway speaks for people, bots and workers; every other process speaks for itself.
 */
export function createCallerVerifier(audience: string, publicKeys: ReadonlyMap<string, string>) {
  const keys = new Map<string, KeyObject>([...publicKeys].map(([name, pem]) => [name, createPublicKey(pem)]));
  // The newest token of each process in its own name, which comes with most calls: its signature is looked at once.
  const seen = new Map<string, { header: string; caller: Caller; expiresAt: number }>();

  return (header: string | undefined): Caller => {
    if (!header) throw unauthenticated('a caller token is required');
    const now = Date.now() / 1000;
    for (const known of seen.values()) if (known.header === header && known.expiresAt >= now) return known.caller;
    const { signed, token } = decode(header) ?? {};
    const key = keys.get(token?.issuer ?? '');
    if (!signed || !token?.caller || !key || !verify(null, signed.token, key, signed.signature)) throw unauthenticated('the caller token is not valid');
    if (token.audience !== audience || token.expiresAt + leeway < now) throw unauthenticated('the caller token is not valid here or has expired');
    const isService = token.caller.type === 'service';
    if (isService ? token.caller.id !== token.issuer : token.issuer !== 'gateway') throw unauthenticated('the caller token speaks for somebody else');
    if (isService) seen.set(token.issuer, { header, caller: token.caller, expiresAt: token.expiresAt });
    return token.caller;
  };
}

export type CallerVerifier = ReturnType<typeof createCallerVerifier>;

function decode(header: string) {
  try {
    const signed = fromBinary(SignedCallerTokenSchema, Buffer.from(header, 'base64url'));
    return { signed, token: fromBinary(CallerTokenSchema, signed.token) };
  } catch {
    return undefined; // not protobuf: refused like any other forgery
  }
}
