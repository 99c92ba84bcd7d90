import {
  type Caller,
  causedBy,
  joinBitmaps,
  type Origin,
  sessionCheckOf,
  supportCaller,
  tokenRefusal,
} from '@bailiwick/contract';
import { unauthenticated } from '@bailiwick/errors';
import {
  type EffectiveRequest,
  EffectiveResponseSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type {
  Credential,
  CredentialState,
} from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { ConfirmCaller } from '../guarded.ts';

type Request = { credential: Omit<Credential, '$typeName' | '$unknown'> };
type State = Omit<CredentialState, '$typeName' | '$unknown'>;
type Rights = MessageInitShape<typeof EffectiveResponseSchema>;

/** Where the rights of a running call are asked for again. */
export type RightsSources = {
  /** The proofs of a live credential. @throws unauthenticated if it has ended */
  credential: (request: Request, origin: Origin) => Promise<{ state?: State | undefined }>;
  authority: {
    effective: (
      request: Omit<EffectiveRequest, '$typeName' | '$unknown'>,
      origin: Origin,
    ) => Promise<Rights>;
  };
  /** @throws unauthenticated if the session of a link has ended */
  portal?: (caller: Caller, origin: Origin) => Promise<void>;
};

/**
 * Asks for the present rights of a caller: whether its credential is live, and what its principal
 * holds. No cache is asked.
 */
export const createConfirm =
  ({ credential, authority, portal }: RightsSources): ConfirmCaller =>
  async (caller, tenant) => {
    const origin = causedBy({ operation: { name: '' }, caller, permission: '' });
    if (caller.type === 'portal') {
      if (!portal) throw unauthenticated();
      await portal(caller, origin);
      return caller;
    }
    const { state } = await credential({ credential: credentialOf(caller) }, origin);
    if (!state) throw unauthenticated();
    const proof = proofOf(caller, state);
    const { narrowedTo } = state;
    const principal = { principalType: typeOf(caller), principalId: caller.id };
    const request = { ...principal, tenant, botTenant: caller.homeTenant, narrowedTo, ...proof };
    const rights = await authority.effective(request, origin);
    return { ...caller, ...proof, narrowedTo, ...rightsIn(rights, caller) };
  };

const typeOf = ({ type, operator }: Caller): string => (operator === '' ? type : supportCaller);

function credentialOf(caller: Caller) {
  const { id, credentialId, clientId, narrowedTo, limitedTo } = caller;
  const tenant = caller.type === 'bot' ? caller.homeTenant : limitedTo;
  return { type: typeOf(caller), id, credentialId, clientId, narrowedTo, tenant };
}

/** An access token stays within its tenant. */
function proofOf({ clientId, type, limitedTo: ofToken }: Caller, state: State) {
  const { ssoTenant, assurance, ownAssurance, operator, voucher } = state;
  const isToken = clientId !== '' && type === 'user';
  if (isToken && state.limitedTo !== '' && state.limitedTo !== ofToken) throw unauthenticated();
  const limitedTo = isToken ? ofToken : state.limitedTo;
  return { ssoTenant, assurance, ownAssurance, operator, limitedTo, voucher };
}

// The caller's only tenant can be another one by now, so the rights are confirmed with its name.
const rightsIn = (rights: Rights, caller: Caller) => ({
  tenant: rights.tenant ?? '',
  permissions: bitmapOf(rights.permissions, rights, caller.permissions),
  platformPermissions: bitmapOf(rights.platformPermissions, rights, caller.platformPermissions),
  ...tokenRefusal(sessionCheckOf(create(EffectiveResponseSchema, rights)).refusal),
  suspendedName: rights.suspendedName ?? '',
});

/**
 * The bitmap of an answer. During an upgrade, access may be an older version that does not know the
 * newest permissions: these count as they came with the call.
 */
function bitmapOf(
  answer: Uint8Array = new Uint8Array(),
  { knownPermissions }: Rights,
  before: Uint8Array,
): Uint8Array {
  return knownPermissions ? joinBitmaps(answer, knownPermissions, before) : answer;
}
