import { createId } from '@bailiwick/contract';
import { bodyOf } from './answers.ts';
import { type Changes, createPasskey, type SoftPasskey, usePasskey } from './authenticator.ts';
import type { Answer, Stack } from './harness.ts';
import { rowsOf } from './store.ts';

// Registers passkeys and signs in with them, as the pages do.

type CallableStack = Pick<Stack, 'call' | 'url'>;

export type PasskeyRecord = {
  ID: string;
  Name: string;
  BackupEligible: boolean;
  BackedUp: boolean;
  Transports: string[];
  AAGUID: string;
  LastUsedAt?: string;
};

export const originOf = ({ url }: Pick<Stack, 'url'>): string => new URL(url).origin;

/** The options of Passkeys_BeginRegistration. */
export async function registrationOptions(stack: CallableStack, token: string): Promise<string> {
  return String(bodyOf(await stack.call('Passkeys_BeginRegistration', {}, token))['Options']);
}

/** The options of Account_BeginPasskeyLogin. */
export async function loginOptions(stack: CallableStack): Promise<string> {
  return String(bodyOf(await stack.call('Account_BeginPasskeyLogin', {}))['Options']);
}

/** Registers a passkey for the user of a session. */
export async function addPasskey(
  stack: CallableStack,
  token: string,
  Name = 'Laptop',
): Promise<{ passkey: SoftPasskey; record: PasskeyRecord }> {
  const options = await registrationOptions(stack, token);
  const { passkey, credential } = createPasskey(options, originOf(stack));
  const answer = await stack.call(
    'Passkeys_FinishRegistration',
    { Credential: credential, Name },
    token,
  );
  return { passkey, record: bodyOf(answer)['Passkey'] as PasskeyRecord };
}

/** Signs in with a passkey. */
export async function signInWith(
  stack: CallableStack,
  passkey: SoftPasskey,
  changes: Changes = {},
): Promise<Answer> {
  const options = await loginOptions(stack);
  return finishLogin(stack, usePasskey(options, originOf(stack), passkey, changes));
}

export const finishLogin = (stack: CallableStack, Credential: string): Promise<Answer> =>
  stack.call('Account_FinishPasskeyLogin', { Credential });

/** Stores a passkey that no device holds. Returns its ID. */
export async function newPasskey(stack: Stack, userId: string): Promise<string> {
  const id = createId('psk');
  await rowsOf(
    stack,
    `insert into identity.passkey (id, user_id, credential_id, public_key, name, sign_count, backup_eligible, backed_up, transports, aaguid, created_at)
     values ($1, $2, $1, '', 'Made', 0, false, false, '{}', '', now())`,
    [id, userId],
  );
  return id;
}
