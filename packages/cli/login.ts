import process from 'node:process';
import type { Client } from '../client/client.ts';
import { PermissionDeniedError, UnauthenticatedError } from '../client/errors.ts';
import { type Command, textOf } from './command.ts';
import { type Connection, connect, tokenOf, urlOf } from './connect.ts';
import { exitCodes, Refusal, UsageError } from './failure.ts';
import { ask, askSecret } from './input.ts';
import { say } from './output.ts';
import { keepSession, readSessions, sessionsFile } from './sessions.ts';

export const login: Command = {
  takes: '',
  summary:
    'Signs in and stores the session, readable only by you. Asks for the password, or reads it from the standard input, and for the second factor of an account that has one.\nWith --token-file it stores that token instead, such as a bot key.',
  options: { email: { type: 'string' } },
  help: [['--email ADDRESS', 'the address of the account; asked for by default']],
  async run({ values }) {
    const connection: Connection = values;
    const url = urlOf(connection);
    if (connection['token-file'] !== undefined) {
      const key = await tokenOf(connection);
      await assertAlive(connection, key ?? '');
      keepSession(url, key);
      say(`the token for ${url} is stored in ${sessionsFile()}`);
      return exitCodes.ok;
    }
    const email = textOf(values['email']) ?? (await askAddress());
    // Connect first, so that a warning about the address comes before the password is typed.
    const client = await connect(connection, '');
    const password = await askSecret(`Password of ${email}: `);
    const answer = await client.call('Account_Login', { Email: email, Password: password });
    const { Token, Session } = answer.Challenge
      ? await completeLogin(client, answer.Challenge)
      : answer;
    keepSession(url, Token);
    say(
      `${email} is signed in at ${url}${Session?.ExpiresAt === undefined ? '' : ` until ${Session.ExpiresAt}`}`,
    );
    return exitCodes.ok;
  },
};

export const logout: Command = {
  takes: '',
  summary: 'Ends the stored session and removes it. A stored bot key is removed and stays valid.',
  options: {},
  help: [],
  async run({ values }) {
    const connection: Connection = values;
    const url = urlOf(connection);
    const token = readSessions().Tokens[url];
    if (token === undefined) {
      say(`not signed in at ${url}`);
      return exitCodes.ok;
    }
    try {
      await (await connect(connection, token)).call('Account_Logout', {});
    } catch (error) {
      // The session has ended already, or the token is a bot key, which has no session.
      if (!(error instanceof UnauthenticatedError || error instanceof PermissionDeniedError))
        throw error;
    }
    keepSession(url, undefined);
    say(`signed out at ${url}`);
    return exitCodes.ok;
  },
};

/** Asks for the second factor. */
async function completeLogin(client: Client, challenge: string) {
  if (!process.stdin.isTTY)
    throw new Refusal('the account has a second factor: sign in from a terminal, or use a bot key');
  const code = await askSecret('Code of your authenticator app, or a recovery code: ');
  return client.call('Account_CompleteLogin', {
    Challenge: challenge,
    ...(/^\d{6}$/.test(code) ? { Totp: code } : { RecoveryCode: code }),
  });
}

function askAddress(): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError('--email is missing');
  return ask('Email: ');
}

/** Rejects an invalid token before it is stored. For a valid bot key, Account_Get fails with permission_denied. */
async function assertAlive(connection: Connection, token: string): Promise<void> {
  try {
    await (await connect(connection, token)).call('Account_Get', {});
  } catch (error) {
    if (!(error instanceof PermissionDeniedError)) throw error;
  }
}
