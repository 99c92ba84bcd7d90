import { password } from '@bailiwick/test/support/people.ts';
import { Pool } from 'undici';
import { createEmptyDatabase } from './database.ts';
import { cycle, openPool, type Shot } from './driver.ts';
import { startPeer } from './peer.ts';

/**
 * Better Auth in a process of its own, with a database of its own on the same server, and signed-in
 * users.
 */
export async function startBetterAuth(hashing: 'default' | 'argon2id', users: number) {
  const peer = await startPeer<{ url: string; people: Array<{ email: string; cookie: string }> }>(
    'better-auth.ts',
    await createEmptyDatabase(),
    hashing,
    String(users),
  );
  const next = cycle(peer.ready.people);
  const pool: Pool = openPool(peer.ready.url);
  const headers = { 'content-type': 'application/json' };
  return {
    pid: peer.pid,
    signIns: {
      pool,
      next: (): Shot => ({
        path: '/api/auth/sign-in/email',
        headers,
        body: JSON.stringify({ email: next().email, password }),
      }),
    },
    sessions: {
      pool,
      next: (): Shot => ({
        method: 'GET',
        path: '/api/auth/get-session',
        headers: { cookie: next().cookie },
      }),
    },
    async stop(): Promise<void> {
      await pool.close();
      await peer.stop();
    },
  };
}
