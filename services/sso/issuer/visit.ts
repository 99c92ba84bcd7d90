import { AsyncLocalStorage } from 'node:async_hooks';
import { type ServiceError } from '@bailiwick/errors';
import type { DescribeMemberResponse } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { ResolveResponse } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type {
  IssuerChoiceSchema,
  IssuerDevicePageSchema,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AdapterPayload, Grant } from 'oidc-provider';
import type { NewRecord } from './queries.ts';

/** A signed-in person with the session that proves it. */
export type Person = ResolveResponse;

/** A person's membership of a tenant, with the permissions there as patterns. */
export type Member = { id: string } & Pick<
  DescribeMemberResponse,
  'slug' | 'roles' | 'groups' | 'permissions'
>;

/** A tenant of a person. */
export type Place = { id: string; slug: string; name: string };

/** A bot with the key or trust that proves it. */
export type ProvenBot = {
  id: string;
  tenant: string;
  credentialId: string;
  /** The permissions that the credential is narrowed to; empty = not narrowed. */
  narrowedTo: readonly string[];
};

/** A requirement of a tenant that the session lacks, and how the person gets it. */
export type Lack = {
  tenant: string;
  /** sso: at the tenant's provider; factor: with a second factor; session: with another sign-in. */
  cure: 'sso' | 'factor' | 'session';
  /** For the app, in English. */
  text: string;
};

/**
 * One HTTP request to the OpenID provider: who its browser is, and what the gateway does instead of
 * sending the library's own page.
 */
export type Visit = {
  /** The address that the request came from. */
  ip: string;
  userAgent: string;
  person: Person | undefined;
  /** Whether the person has to choose one of their tenants first. */
  asksTenant: boolean;
  lack: Lack | undefined;
  /** The grant that this request makes, if it ends with a code. */
  newGrant: Grant | undefined;
  /** The person that a token is made for, in the tenant of the sign-in, with its scopes. */
  account: { person: Person; member: Member | undefined; scopes: ReadonlySet<string> } | undefined;
  /** The bot that proved itself in this request. */
  bot: ProvenBot | undefined;
  /** The message for the person; '' = none. */
  failure: string;
  /** A form that the browser sends by itself, and the address of an app that it leads to. */
  form: { url: string; fields: Record<string, string>; leadsTo: string } | undefined;
  /** A refusal that the gateway answers like those of its operations. */
  refused: ServiceError | undefined;
  /** A page that asks the person. */
  choice: MessageInitShape<typeof IssuerChoiceSchema> | undefined;
  /** A page of the device flow. */
  devicePage: MessageInitShape<typeof IssuerDevicePageSchema> | undefined;
  /** Whether this request ended the session. */
  signedOut: boolean;
  /** Whether the app gets a code. */
  signedIn: boolean;
  /** Why the person may not sign in to the app; '' = they may. */
  refusal: string;
  /** The code or refresh token that an app presents. */
  presented: { model: string; id: string; payload: AdapterPayload } | undefined;
  /** A request for tokens: the code or token that it uses up ('' = none), and its results. */
  tokenRequest: { uses: string; records: NewRecord[] } | undefined;
  /** Whether a proof or assertion of the request was used before. */
  proofRepeated: boolean;
  /** Whether a refresh gets the answer that it got before. */
  repeated: boolean;
  /** Whether it was used before, so that all that came from the same grant has ended. */
  reused: boolean;
};

export const newVisit = (person: Person | undefined, ip: string, userAgent = ''): Visit => ({
  ip,
  userAgent,
  person,
  asksTenant: false,
  lack: undefined,
  newGrant: undefined,
  account: undefined,
  bot: undefined,
  failure: '',
  form: undefined,
  refused: undefined,
  choice: undefined,
  devicePage: undefined,
  signedOut: false,
  signedIn: false,
  refusal: '',
  presented: undefined,
  tokenRequest: undefined,
  proofRepeated: false,
  repeated: false,
  reused: false,
});

const visits = new AsyncLocalStorage<Visit>();

export const duringVisit = <Result>(visit: Visit, work: () => Promise<Result>): Promise<Result> =>
  visits.run(visit, work);

export function currentVisit(): Visit {
  const visit = visits.getStore();
  if (!visit) throw new Error('the OpenID provider answers requests only');
  return visit;
}
