import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { parameters } from '@bailiwick/identity/passwords/passwords.ts';
import { password } from '@bailiwick/test/support/people.ts';
import { hash, verify } from '@node-rs/argon2';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import pg from 'pg';
import { serveBench } from '../peer.ts';

// Better Auth on node:http with its own PostgreSQL adapter, set up as its documentation says, with
// its rate limit off. The second argument chooses the hash: its default (scrypt), or Bailiwick's.
//
//   node better-auth.ts <database url> default|argon2id <users>

const [connectionString = '', hashing = '', users = '0'] = process.argv.slice(2);

const options = {
  baseURL: 'http://127.0.0.1',
  secret: 'a secret for the bench only',
  database: new pg.Pool({ connectionString }),
  telemetry: { enabled: false },
  rateLimit: { enabled: false },
  emailAndPassword: {
    enabled: true,
    ...(hashing === 'argon2id' && {
      password: {
        hash: (text: string) => hash(text, parameters),
        verify: (stored: { hash: string; password: string }) =>
          verify(stored.hash, stored.password),
      },
    }),
  },
};
await (await getMigrations(options)).runMigrations();
const auth = betterAuth(options);

const people: Array<{ email: string; cookie: string }> = [];
for (let index = 0; index < Number(users); index++) {
  const email = `person-${index}@example.com`;
  const { headers } = await auth.api.signUpEmail({
    body: { email, password, name: 'Person' },
    returnHeaders: true,
  });
  people.push({
    email,
    cookie: headers
      .getSetCookie()
      .map((cookie) => cookie.split(';', 1)[0])
      .join('; '),
  });
}

const handle = toNodeHandler(auth);
const server = createServer((request, response) => void handle(request, response));
server.listen(0, '127.0.0.1', () =>
  serveBench({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, people }),
);
