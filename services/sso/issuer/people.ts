import { Buffer } from 'node:buffer';
import { type Loaded, leaseMs, type RightsCache } from '@bailiwick/broker';
import {
  lastsOf,
  type Origin,
  oneLine,
  recordLimits,
  type SessionCheck,
  type SessionRefusal,
  sessionCheckOf,
  sessionProof,
  sessionTimes,
} from '@bailiwick/contract';
import type {
  Authority,
  EffectiveResponse,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type {
  Credentials,
  Directory,
  ResolveResponse,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { User } from '@bailiwick/proto/gen/bailiwick/identity/v1/user_pb.ts';
import type { PeerClient } from '@bailiwick/wire';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { keysOf, type Person, type UnmetRequirement } from './request.ts';
import type { Tenants } from './tenants.ts';

// Who the person of a session is, and which apps they may use. Every code, every refresh and every
// userinfo call asks again. The answers are cached like the rights of a gateway, and end with the
// reply of the call that changes them (docs/caches.md).

export type PeopleDeps = {
  credentials: Pick<
    PeerClient<typeof Credentials>,
    'resolve' | 'resolveSession' | 'endSession' | 'limitSession' | 'matchTrusts'
  >;
  directory: Pick<PeerClient<typeof Directory>, 'getUsers'>;
  authority: Pick<PeerClient<typeof Authority>, 'effective'>;
  rightsCache: Pick<RightsCache, 'getOrLoad'>;
};

/** Why a person may not use an app. Without a `cure`, no other session of theirs may either. */
export type Refusal = Pick<UnmetRequirement, 'text'> & Partial<Pick<UnmetRequirement, 'cure'>>;

export type People = ReturnType<typeof createPeople>;

/** The answer to the app and the person about a tenant's refusal. */
const refusals: Record<Exclude<SessionRefusal, 'none'>, Refusal> = {
  suspended: { text: 'the organisation is suspended' },
  not_member: { text: 'this app is for the members of one organisation' },
  other_tenant: { text: 'this session is limited to another organisation', cure: 'session' },
  // An application would decide by the rights of the user, not of the session.
  provider_unconfirmed: {
    text: 'the single sign-on of the organisation was changed and is not confirmed',
    cure: 'session',
  },
  method_refused: {
    text: 'the organisation does not accept this way to sign in',
    cure: 'session',
  },
  sso_required: { text: 'the organisation requires single sign-on', cure: 'sso' },
  factor_required: { text: 'the organisation requires a second factor', cure: 'factor' },
};

export function createPeople(
  { credentials, directory, authority, rightsCache }: PeopleDeps,
  tenants: Pick<Tenants, 'describe'>,
) {
  return {
    /** The signed-in person of a browser. */
    ofToken(tokenHash: Uint8Array, ip: string, call: Origin): Promise<Person | undefined> {
      const request = { tokenHash, ip, kind: 'session' };
      return rightsCache
        .getOrLoad(`token ${Buffer.from(tokenHash).toString('base64')}`, async () =>
          cacheable(await credentials.resolve(request, call)),
        )
        .catch(noneIfEnded);
    },

    /**
     * The person of a session, if it has not ended. With `isUse` it does not become idle: a cached
     * answer ends when the next use is to be written.
     */
    ofSession(sessionId: string, isUse: boolean, call: Origin): Promise<Person | undefined> {
      const request = { sessionId, unused: !isUse };
      return rightsCache
        .getOrLoad(`session ${sessionId}`, async () =>
          cacheable((await credentials.resolveSession(request, call)).principal),
        )
        .catch(noneIfEnded);
    },

    /** The claims about a person's profile. */
    profileOf: ({ id }: Person, call: Origin): Promise<Record<string, string>> =>
      rightsCache.getOrLoad(`profile ${id}`, () => loadProfile(directory, id, call)),

    /**
     * Why the person may not use an app of a tenant, '' = the platform's; undefined if they may.
     * `rights`: the person's rights in the tenant, if access has just returned them.
     */
    async refusal(
      person: Person,
      tenant: string,
      call: Origin,
      rights?: Omit<EffectiveResponse, 'unchangedFor'>,
    ): Promise<Refusal | undefined> {
      if (tenant === '')
        // Only one tenant accepts such a session: no one but its provider has identified the user.
        return person.limitedTo === ''
          ? undefined
          : { text: 'this session is limited to one organisation' };
      const session = sessionTimes(person);
      const effective =
        rights ??
        (await tenants.describe(person, tenant, call)).effective ??
        // Access of the previous version describes a member without the requirements.
        (await authority.effective(
          {
            principalType: 'user',
            principalId: person.id,
            tenant,
            ...sessionProof(person),
            ...(session && { session }),
          },
          call,
        ));
      const check = sessionCheckOf(effective, session);
      if (check.refusal !== 'none') return refusals[check.refusal];
      return (await isLiveWithin(credentials, person, check, call))
        ? undefined
        : { text: "the organisation's limits have ended the session", cure: 'session' };
    },

    signOut: async ({ credentialId: sessionId, id: userId }: Person, call: Origin): Promise<void> =>
      void (await credentials.endSession({ sessionId, userId }, call)),
  };
}

async function loadProfile(
  directory: PeopleDeps['directory'],
  id: string,
  call: Origin,
): Promise<Loaded<Record<string, string>>> {
  const { users } = await directory.getUsers({ ids: [id] }, call);
  return {
    value: profileOf(users[0]),
    keys: [`user:${id}`],
    lastsMs: Number.POSITIVE_INFINITY,
  };
}

/** A principal as the cache of rights takes it; undefined for one that is no user. */
function cacheable(principal: ResolveResponse | undefined): Loaded<Person | undefined> {
  if (principal?.type !== 'user') return { value: undefined, keys: [], lastsMs: 0 };
  const { unchangedFor, ...person } = principal;
  return { value: person, keys: keysOf(person), lastsMs: lastsOf({ unchangedFor }, leaseMs) };
}

/** Undefined for a credential that does not exist or has ended. */
export function noneIfEnded(error: unknown): undefined {
  if (error instanceof ConnectError && error.code === Code.Unauthenticated) return undefined;
  throw error;
}

/** Makes the session's record end as access says, like a gateway. Returns whether it is live. */
async function isLiveWithin(
  credentials: Pick<PeopleDeps['credentials'], 'limitSession'>,
  person: Person,
  check: SessionCheck,
  call: Origin,
): Promise<boolean> {
  const limits = recordLimits(person, check);
  if (!limits) return true;
  return (await credentials.limitSession(limits, call).catch(noneIfEnded)) !== undefined;
}

/** When the person last signed in or proved a factor, in seconds. */
export const authTime = ({ signedInAt, provenAt }: Person): number =>
  Math.floor(
    Math.max(...[signedInAt, provenAt].map((time) => (time ? timestampMs(time) : 0))) / 1000,
  );

/** RFC 8176 names for methods of ours. Others have no name there and stay as they are. */
const methodNames: Record<string, string> = { password: 'pwd', totp: 'otp', passkey: 'pop' };

/** How the person signed in (amr). */
export const methodsOf = ({ authMethods, assurance }: Person): string[] => [
  ...new Set([
    ...authMethods.map((method) => methodNames[method] ?? method),
    ...(assurance === 'aal2' || assurance === 'phishing_resistant' ? ['mfa'] : []),
  ]),
];

/** The assurance of the sign-in (acr). */
export const assuranceOf = ({ assurance }: Person): string => assurance || 'aal1';

/**
 * The claims about the address of a session's user, which is verified. Apps find accounts by a
 * verified address, so it counts as verified for them only if a mail has reached the user.
 */
export const mailClaimsOf = ({ email, mailboxUnproven }: Person) => ({
  email,
  email_verified: !mailboxUnproven,
});

/** The claims about the profile of a user. Apps show the names. */
export const profileOf = (user: User | undefined): Record<string, string> =>
  Object.fromEntries(
    (
      [
        ['name', user && oneLine(user.name)],
        ['given_name', user && oneLine(user.givenName)],
        ['family_name', user && oneLine(user.familyName)],
        ['picture', user?.picture],
        ['locale', user?.locale],
      ] as const
    ).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
