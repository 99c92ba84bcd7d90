import { oneOf, type SettingTable } from '@bailiwick/shared/config.ts';
import {
  accessPeer,
  brokerSettings,
  callerSettings,
  databaseSettings,
  keyRingSettings,
  limitSettings,
  listenSettings,
  verifierSettings,
} from '@bailiwick/shared/settings.ts';
import { type TokenKind, tokenKind } from '@bailiwick/shared/tokens.ts';

const tokenOf = (kind: TokenKind) => (token: string) => {
  if (tokenKind(token) !== kind) throw new Error('does not hold a token of that kind');
};

export const identitySettings = {
  ...listenSettings,
  ...callerSettings,
  ...verifierSettings,
  ...databaseSettings('identity'),
  ...brokerSettings,
  ...keyRingSettings,
  ...limitSettings,
  ...accessPeer,
  platformKey: {
    env: 'BAILIWICK_PLATFORM_KEY_FILE',
    kind: 'file',
    check: tokenOf('botKey'),
    about: "File with the platform owner's bot key (bwkb_…), the first administrator's credential. A new file and a restart replace it.",
  },
  passwordProfile: {
    env: 'BAILIWICK_PASSWORD_PROFILE',
    kind: 'text',
    fallback: 'standard',
    check: oneOf('standard', 'nist'),
    about: 'standard: passwords of 8 characters and more. nist: of 15 and more, as NIST SP 800-63B-4 asks where they are the only factor.',
  },
  workerToken: {
    env: 'BAILIWICK_WORKER_TOKEN_FILE',
    kind: 'file',
    check: tokenOf('worker'),
    about: 'File with the token (bwkw_…) that may call the internal task operations through the gateway.',
  },
} as const satisfies SettingTable;
