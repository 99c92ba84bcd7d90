import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { tokenHash } from '@bailiwick/contract';
import pg from 'pg';
import { serveBench } from '../peer.ts';

// The floor of an authenticated read: node:http and two prepared statements, without validation,
// permissions, log and metrics. It reads the database of the stack that it is compared with.
//
//   node prototype.ts <database url>

const pool = new pg.Pool({
  connectionString: process.argv[2],
  options: '-c search_path=identity',
  max: 10,
});
const bySession = {
  name: 'user_by_session',
  text: "select s.user_id from session s join user_account u on u.id = s.user_id where s.token_hash = $1 and s.expires_at > now() and u.status = 'active'",
};
const byEmail = {
  name: 'user_by_email',
  text: `select id as "ID", email as "Email", email_verified as "EmailVerified", name as "Name", given_name as "GivenName", family_name as "FamilyName",
           picture as "Picture", locale as "Locale", status as "Status", password_hash is not null as "HasPassword", external_id as "ExternalID",
           metadata as "Metadata", last_login_at as "LastLoginAt", created_at as "CreatedAt", updated_at as "UpdatedAt"
         from user_account where email_key = $1`,
};
const one = async (statement: { name: string; text: string }, value: unknown): Promise<unknown> =>
  (await pool.query({ ...statement, values: [value] })).rows[0];

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => void answer());
  async function answer() {
    const session = await one(
      bySession,
      tokenHash((request.headers.authorization ?? '').slice('Bearer '.length)),
    );
    const { Email } = JSON.parse(Buffer.concat(chunks).toString()) as { Email: string };
    const user = session && (await one(byEmail, Email.toLowerCase()));
    const body = JSON.stringify({ User: user });
    response
      .writeHead(user ? 200 : 401, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      .end(body);
  }
});
server.listen(0, '127.0.0.1', () =>
  serveBench({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
