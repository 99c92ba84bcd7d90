import process from 'node:process';
import { PermissionDeniedError, UnauthenticatedError } from '../errors.ts';
import { type Command, textOf } from './command.ts';
import { type Connection, connect, tokenOf, urlOf } from './connect.ts';
import { exitCodes, UsageError } from './failure.ts';
import { ask, askSecret } from './input.ts';
import { say } from './output.ts';
import { keepSession, readSessions, sessionsFile } from './sessions.ts';

export const login: Command = {
  takes: '',
  summary:
    'Signs in and keeps the session, readable for you alone. The password is asked for, or read from the standard input.\nWith --token-file it keeps that token, such as a bot key, instead.',
  options: { email: { type: 'string' } },
  help: [['--email ADDRESS', 'whose account; else it is asked for']],
  async run({ values }) {
    const connection: Connection = values;
    const url = urlOf(connection);
    if (connection['token-file'] !== undefined) {
      const key = await tokenOf(connection);
      await assertAlive(connection, key ?? '');
      keepSession(url, key);
      say(`the token is kept for ${url} in ${sessionsFile()}`);
      return exitCodes.ok;
    }
    const email = textOf(values['email']) ?? (await askAddress());
    // First, so that a person is warned of an address before the password is typed.
    const client = await connect(connection, '');
    const password = await askSecret(`Password of ${email}: `);
    const { Token, Session } = await client.call('Account_Login', {
      Email: email,
      Password: password,
    });
    keepSession(url, Token);
    say(
      `${email} is signed in at ${url}${Session.ExpiresAt === undefined ? '' : ` until ${Session.ExpiresAt}`}`,
    );
    return exitCodes.ok;
  },
};

export const logout: Command = {
  takes: '',
  summary: 'Ends the kept session and forgets it. A kept bot key is forgotten and stays alive.',
  options: {},
  help: [],
  async run({ values }) {
    const connection: Connection = values;
    const url = urlOf(connection);
    const token = readSessions().Tokens[url];
    if (token === undefined) {
      say(`nobody is signed in at ${url}`);
      return exitCodes.ok;
    }
    try {
      await (await connect(connection, token)).call('Account_Logout', {});
    } catch (error) {
      // It has ended already, or it is a key, which has no session to end.
      if (!(error instanceof UnauthenticatedError || error instanceof PermissionDeniedError))
        throw error;
    }
    keepSession(url, undefined);
    say(`signed out at ${url}`);
    return exitCodes.ok;
  },
};

function askAddress(): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError('--email is missing');
  return ask('Email: ');
}

/** A key that nobody knows is better refused now. A bot is no account: that it is told so proves its key. */
async function assertAlive(connection: Connection, token: string): Promise<void> {
  try {
    await (await connect(connection, token)).call('Account_Get', {});
  } catch (error) {
    if (!(error instanceof PermissionDeniedError)) throw error;
  }
}
