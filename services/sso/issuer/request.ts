import type { RightsKey } from '@bailiwick/broker';
import { type Origin, serviceOrigin } from '@bailiwick/contract';
import { type ServiceError } from '@bailiwick/errors';
import type { DescribeMemberResponse } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { ResolveResponse } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type {
  IssuerChoiceSchema,
  IssuerDevicePageSchema,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';

/** A signed-in person with the session that proves it. */
export type Person = Omit<ResolveResponse, 'unchangedFor'>;

/** The changes that end a person's session, or change the facts about it. */
export const keysOf = ({ id, credentialId, ssoTenant }: Person): RightsKey[] => [
  `user:${id}`,
  `credential:${credentialId}`,
  // A change of its provider limits a session.
  ...(ssoTenant === '' ? [] : [`tenant:${ssoTenant}` as const]),
];

/** A person's membership of a tenant, with the permissions there as patterns. */
export type Member = { id: string } & Pick<
  DescribeMemberResponse,
  'slug' | 'roles' | 'groups' | 'permissions'
>;

/** A tenant that a person may sign in to an app for. */
export type TenantOption = { id: string; slug: string; name: string };

/** A bot with the key or trust that proves it. */
export type ProvenBot = {
  id: string;
  tenant: string;
  credentialId: string;
  /** The permissions that the credential is narrowed to; empty = not narrowed. */
  narrowedTo: readonly string[];
};

/** A requirement of a tenant that the session does not meet, and how the person meets it. */
export type UnmetRequirement = {
  tenant: string;
  /** sso: at the tenant's provider; factor: with a second factor; session: with another sign-in. */
  cure: 'sso' | 'factor' | 'session';
  /** For the app, in English. */
  text: string;
};

/** One HTTP request to the OpenID provider, and who its browser is. */
export type IssuerRequest = {
  /** The address that the request came from. */
  readonly ip: string;
  readonly requestId: string;
  readonly userAgent: string;
  readonly person: Person | undefined;
};

/**
 * The origin of the library's own records. Its requests need no right of a caller: the codes and
 * tokens in them are the proof.
 */
export const byIssuer = serviceOrigin('sso');

/** The origin of a request's changes. The app's own request is anonymous. */
export function originOf(
  { ip, requestId, userAgent }: IssuerRequest,
  caller = { type: 'anonymous', id: '', credentialId: '' },
): Origin {
  return { ...byIssuer, caller: { ...byIssuer.caller, ...caller, ip, requestId, userAgent } };
}

export type Choice = MessageInitShape<typeof IssuerChoiceSchema>;
export type DevicePage = MessageInitShape<typeof IssuerDevicePageSchema>;

/** The library's own response, or a page of ours instead of it. The fields are those of the rpc. */
export type Reply =
  | { kind: 'response' }
  /** The library's own response, which ends the session. */
  | { kind: 'sign-out'; signedOut: true }
  /** A message for the person. */
  | { kind: 'failure'; failure: string }
  /** A form that the browser sends by itself. */
  | { kind: 'form'; formUrl: string; form: Record<string, string>; formScheme: string }
  | { kind: 'choice'; choice: Choice }
  | { kind: 'device'; devicePage: DevicePage }
  /** A refusal that the gateway answers like those of its operations. */
  | { kind: 'refusal'; error: ServiceError };
