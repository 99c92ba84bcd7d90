import { createId, homeNetwork } from '@bailiwick/contract';
import { alreadyExists, failedPrecondition, limitReached } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Passkeys } from '@bailiwick/proto/gen/bailiwick/identity/v1/passkeys_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { assertRecent, changeOwn } from '../factors/changes.ts';
import { passkeysPerUser } from '../limits.ts';
import { factorKey, rememberNetwork } from '../passwords/queries.ts';
import { raiseSession } from '../sessions/sign-in/queries.ts';
import type { UserRow } from '../users/entities.ts';
import { readRegistration } from './answers.ts';
import {
  challengeMs,
  createChallenge,
  forRegistration,
  type OpenChallenge,
  readChallenge,
  useUp,
} from './challenges.ts';
import type { PasskeyDeps } from './deps.ts';
import { PasskeyEntity, type PasskeyRow, passkeyRecord } from './entities.ts';
import { listCredentials, storePasskey } from './queries.ts';
import { recordPasskey } from './records.ts';
import { algorithms, PasskeyRefusal, siteOf } from './site.ts';

type Registration = Pick<Handlers<typeof Passkeys>, 'beginRegistration' | 'finishRegistration'>;

export function registrationHandlers(deps: PasskeyDeps): Registration {
  const { publicUrl, database, keyRing } = deps;
  const site = siteOf(publicUrl);
  return {
    async beginRegistration(_request, call) {
      const { caller } = call;
      await assertRecent(database, call);
      // Refused before the device makes a passkey that no account has.
      const user = await changeOwn(database, call, (_em, locked) => Promise.resolve(locked));
      const excludeCredentials = await listCredentials(database, user.id);
      const purpose = forRegistration(caller.id, caller.credentialId);
      const { generateRegistrationOptions } = await import('@simplewebauthn/server');
      const options = await generateRegistrationOptions({
        rpName: site.rpId,
        rpID: site.rpId,
        userID: new TextEncoder().encode(user.id),
        userName: user.email,
        userDisplayName: user.name || user.email,
        challenge: new TextEncoder().encode(createChallenge(keyRing, purpose)),
        timeout: challengeMs,
        attestationType: 'none',
        excludeCredentials,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: algorithms,
      });
      return { options: JSON.stringify(options) };
    },

    async finishRegistration({ credential, name }, call) {
      const { credentialId } = call.caller;
      await assertRecent(database, call);
      const { challenge, passkey } = await verify(deps, { credential, name }, call);
      return changeOwn(database, call, async (tx, user, { provider, ssoTenant }) => {
        await useUp(tx, challenge);
        await store(tx, user, { ...passkey, provider, ssoTenant });
        // The user has just used it.
        await raiseSession(tx, credentialId, { method: 'passkey', assurance: 'aal2', ssoTenant });
        await rememberNetwork(tx, factorKey(user.id), homeNetwork(call.caller.ip));
        return { passkey: passkeyRecord(passkey) };
      });
    },
  };
}

/** The passkey that the browser has made, verified and not stored. */
async function verify(
  deps: PasskeyDeps,
  { credential, name }: { credential: string; name: string },
  call: Call,
): Promise<{ challenge: OpenChallenge; passkey: Omit<PasskeyRow, 'provider' | 'ssoTenant'> }> {
  const { id: userId, credentialId: sessionId } = call.caller;
  try {
    const answer = readRegistration(credential);
    if (!answer) throw new PasskeyRefusal('it is malformed');
    const purpose = forRegistration(userId, sessionId);
    const challenge = readChallenge(deps.keyRing, answer.client.challenge, purpose);
    const { verifyRegistration } = await import('./verify.ts');
    const registration = await verifyRegistration(answer, siteOf(deps.publicUrl));
    const passkey = {
      id: createId('psk'),
      userId,
      credentialId: registration.credential.id,
      publicKey: registration.credential.publicKey,
      name,
      signCount: registration.credential.counter,
      backupEligible: registration.credentialDeviceType === 'multiDevice',
      backedUp: registration.credentialBackedUp,
      transports: registration.credential.transports ?? [],
      aaguid: registration.aaguid,
      createdAt: new Date(),
      lastUsedAt: null,
    };
    return { challenge, passkey };
  } catch (error) {
    if (!(error instanceof PasskeyRefusal)) throw error;
    const refusal = failedPrecondition(
      `the passkey was not accepted: ${error.message}`,
      'PASSKEY_REFUSED',
      { Detail: error.message },
    );
    await deps.refusals.record(`passkey ${userId}`, call, {
      Tenant: '',
      Action: 'user.passkey_refused',
      Result: 'failed',
      Code: refusal.code,
      Targets: [{ Type: 'user', ID: userId, Name: '' }],
    });
    throw refusal;
  }
}

async function store(tx: Transaction, user: UserRow, passkey: PasskeyRow): Promise<void> {
  if ((await tx.em.count(PasskeyEntity, { userId: user.id })) >= passkeysPerUser)
    throw limitReached(`a user has at most ${passkeysPerUser} passkeys`, passkeysPerUser);
  if (!(await storePasskey(tx, passkey)))
    throw alreadyExists('this passkey is already registered', 'PASSKEY_KNOWN');
  await recordPasskey(tx, user, passkey, 'added');
}
