import { brokerSettings } from '@bailiwick/broker';
import { keyRingSettings, keyServiceSettings } from '@bailiwick/keys';
import {
  installationSettings,
  limitSettings,
  listenSettings,
  oneOf,
  returnSettings,
  type SettingTable,
  tlsSettings,
} from '@bailiwick/process';
import { databaseSettings } from '@bailiwick/store';
import { accessPeer, callerSettings, ssoPeer, verifierSettings } from '@bailiwick/wire';
import { assertTokenOf } from './credentials/installed.ts';

export const identitySettings = {
  ...listenSettings,
  ...callerSettings,
  ...tlsSettings,
  ...verifierSettings,
  ...databaseSettings('identity'),
  ...installationSettings,
  ...brokerSettings,
  ...keyRingSettings,
  ...keyServiceSettings,
  ...returnSettings,
  ...limitSettings,
  ...accessPeer,
  ...ssoPeer,
  platformKey: {
    env: 'BAILIWICK_PLATFORM_KEY_FILE',
    kind: 'file',
    check: assertTokenOf('botKey'),
    about:
      "File with the platform owner's bot key (bwkb_…), the first administrator credential. Reloaded when it changes: the old key is then revoked within five seconds.",
  },
  passwordProfile: {
    env: 'BAILIWICK_PASSWORD_PROFILE',
    kind: 'text',
    fallback: 'standard',
    check: oneOf('standard', 'nist'),
    about:
      'standard: passwords have at least 8 characters. nist: at least 15, as NIST SP 800-63B-4 requires for passwords that are the only factor.',
  },
  breachedPasswords: {
    env: 'BAILIWICK_BREACHED_PASSWORDS',
    kind: 'text',
    fallback: '',
    about:
      'Passwords from known breaches, which are refused as new passwords: a folder or a file in the formats of the Pwned Passwords download (SHA-1). identity does not start if it cannot use it. Empty = no check.',
  },
  registration: {
    env: 'BAILIWICK_REGISTRATION',
    kind: 'text',
    fallback: 'open',
    check: oneOf('open', 'invited', 'closed'),
    about:
      'open: everybody may register. invited: only people with an invitation, through the link in its mail. closed: accounts come from Users_Create and the single sign-on of tenants only.',
  },
  emailCodes: {
    env: 'BAILIWICK_EMAIL_CODES',
    kind: 'text',
    fallback: 'off',
    check: oneOf('off', 'on'),
    about:
      'on: users may sign in with a code that is mailed to them instead of their password. The code works for ten minutes, five tries, and in the browser that asked for it.',
  },
  workerToken: {
    env: 'BAILIWICK_WORKER_TOKEN_FILE',
    kind: 'file',
    check: assertTokenOf('worker'),
    about:
      'File with the token (bwkw_…) for calls of the internal task operations through the gateway. Reloaded when it changes, like the platform key.',
  },
} as const satisfies SettingTable;
