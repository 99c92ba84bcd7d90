import { type TokenKind, tokenHash, tokenKind } from '@bailiwick/contract';
import { type Log, type Mounted, watchMounted } from '@bailiwick/process';

// The credentials that are installed with the service. Replacing a file ends the old credential:
// gateways cache principals no longer than their lease (revocation.ts).

type Principal = { type: string; id: string; credentialId: string };

export type InstalledTokens = ReadonlyArray<{ hash: Uint8Array; principal: Principal }>;

type Files = { platformKey: Mounted<string>; workerToken: Mounted<string> };

export const assertTokenOf = (kind: TokenKind) => (token: string) => {
  if (tokenKind(token) !== kind) throw new Error('does not contain a token of that kind');
};

/** The principals of the installed tokens. Follows changes of their files. */
export function openTokens({ platformKey, workerToken }: Files, log: Log): InstalledTokens {
  return [
    openOne(
      platformKey,
      'botKey',
      { type: 'platform', id: 'platform', credentialId: 'platform-key' },
      log,
    ),
    openOne(
      workerToken,
      'worker',
      { type: 'worker', id: 'worker', credentialId: 'worker-token' },
      log,
    ),
  ];
}

function openOne(
  file: Mounted<string>,
  kind: TokenKind,
  principal: Principal,
  log: Log,
): InstalledTokens[number] {
  const one = { hash: tokenHash(file.content), principal };
  const assertToken = assertTokenOf(kind);
  watchMounted(file, log, (token) => {
    assertToken(token);
    one.hash = tokenHash(token);
  });
  return one;
}
