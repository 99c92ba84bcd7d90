import type { TestContext } from 'node:test';
import { UnavailableError } from '../errors.ts';
import { createFollower, type FollowerOptions } from '../follower/follower.ts';
import { hostPlatform, type Platform } from '../follower/platform.ts';
import type { VerifiedToken } from '../verifier.ts';
import { credential, startGateway } from './gateway.ts';

// A follower of a gateway on loopback, with clocks that the test moves.

export const token: VerifiedToken = {
  sub: 'usr_1',
  client_id: 'app_1',
  sid: 'ses_1',
  tenant: 'tnt_1',
  aud: 'https://reports.example.com',
  scope: 'openid app.reports.*',
  exp: 1,
  iat: 1,
  keyId: 'key_1',
};
export const state = {
  Scopes: ['openid', 'app.reports.*'],
  Sets: [['app.reports.*'], ['app.reports.read', 'app.notes.read']],
  Grants: { '': [1], 'report:7': [0] },
};

/** The host's platform with clocks that the test moves. */
function movablePlatform(changes: Partial<Platform> = {}) {
  const passed = { monotonicMs: 0, wallMs: 0 };
  const host = hostPlatform();
  const platform: Platform = {
    ...host,
    clock: {
      monotonicMs: () => host.clock.monotonicMs() + passed.monotonicMs,
      wallMs: () => host.clock.wallMs() + passed.wallMs,
    },
    ...changes,
  };
  return { platform, passed };
}

type Start = Partial<FollowerOptions> & { platform?: Partial<Platform> };

export async function startFollowing(
  t: TestContext,
  script: Parameters<typeof startGateway>[1] = { answer: () => ({ Value: state }) },
  { platform: changes, ...options }: Start = {},
) {
  const gateway = await startGateway(t, script);
  const { platform, passed } = movablePlatform(changes);
  const messages: string[] = [];
  const log = (message: string) => void messages.push(message);
  const started = createFollower({ url: gateway.url, credential, log, ...options }, platform);
  t.after(() => started.close());
  return { gateway, follower: started, passed, messages, platform };
}

export const isUnavailable = (error: unknown) => error instanceof UnavailableError;

export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise<void>((resolve) => setImmediate(resolve));
}
