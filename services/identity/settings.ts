import { oneOf, type SettingTable } from '@bailiwick/shared/config.ts';
import {
  accessPeer,
  brokerSettings,
  callerSettings,
  databaseSettings,
  keyRingSettings,
  limitSettings,
  listenSettings,
  ssoPeer,
  tlsSettings,
  verifierSettings,
} from '@bailiwick/shared/settings.ts';
import { assertTokenOf } from './sessions/installed.ts';

export const identitySettings = {
  ...listenSettings,
  ...callerSettings,
  ...tlsSettings,
  ...verifierSettings,
  ...databaseSettings('identity'),
  ...brokerSettings,
  ...keyRingSettings,
  ...limitSettings,
  ...accessPeer,
  ...ssoPeer,
  platformKey: {
    env: 'BAILIWICK_PLATFORM_KEY_FILE',
    kind: 'file',
    check: assertTokenOf('botKey'),
    about:
      "File with the platform owner's bot key (bwkb_…), the first administrator's credential. It is read again when it changes: the old key ends with that, within five seconds everywhere.",
  },
  passwordProfile: {
    env: 'BAILIWICK_PASSWORD_PROFILE',
    kind: 'text',
    fallback: 'standard',
    check: oneOf('standard', 'nist'),
    about:
      'standard: passwords of 8 characters and more. nist: of 15 and more, as NIST SP 800-63B-4 asks where they are the only factor.',
  },
  workerToken: {
    env: 'BAILIWICK_WORKER_TOKEN_FILE',
    kind: 'file',
    check: assertTokenOf('worker'),
    about:
      'File with the token (bwkw_…) that may call the internal task operations through the gateway. Read again when it changes, like the key above.',
  },
} as const satisfies SettingTable;
