import process from 'node:process';
import type { Client } from '../client/client.ts';
import { PermissionDeniedError, UnauthenticatedError } from '../client/errors.ts';
import { type Command, textOf } from './command.ts';
import { type Connection, connect, givenToken, urlOf, warnOfPlaintext } from './connect.ts';
import { type ExitCode, exitCodes, Refusal, UsageError } from './failure.ts';
import type { Values } from './fields.ts';
import { ask, askSecret } from './input.ts';
import { say } from './output.ts';
import { keepSession, readSessions, sessionsFile } from './sessions.ts';
import { signInByBrowser } from './sign-in/browser.ts';
import { signInByDevice } from './sign-in/device.ts';
import { revokeAt, scopeFor } from './sign-in/issuer.ts';
import { hasBrowser } from './sign-in/open-browser.ts';

export const login: Command = {
  takes: '',
  summary:
    'Signs in with the browser and stores the session, readable only by you. Over SSH or without a display it shows a code for a browser on any device.\nWith --email or --password it asks for the password instead, or reads it from the standard input, and for the second factor of an account that has one.\nWith --token-file it stores that token, such as a bot key.',
  options: {
    device: { type: 'boolean' },
    password: { type: 'boolean' },
    platform: { type: 'boolean' },
    email: { type: 'string' },
  },
  help: [
    ['--device', 'show a code for a browser on any device'],
    ['--platform', 'ask for the permissions on the platform too (iam.platform)'],
    ['--password', 'sign in with the password, without a browser'],
    ['--email ADDRESS', 'the address of the account, for the password; asked for by default'],
  ],
  async run({ values }) {
    const connection: Connection = values;
    const token = await givenFile(connection);
    if (token !== undefined) return keepToken(connection, token);
    const email = textOf(values['email']);
    if (email === undefined && values['password'] !== true) return withBrowser(connection, values);
    if (values['device'] === true) throw new UsageError('--device takes no password');
    return withPassword(connection, email ?? (await askAddress()));
  },
};

async function givenFile(connection: Connection): Promise<string | undefined> {
  return connection['token-file'] === undefined ? undefined : givenToken(connection);
}

async function keepToken(connection: Connection, token: string): Promise<ExitCode> {
  const url = urlOf(connection);
  await assertAlive(connection, token);
  await keepSession(url, token);
  say(`the token for ${url} is stored in ${sessionsFile()}`);
  return exitCodes.ok;
}

async function withBrowser(connection: Connection, values: Values): Promise<ExitCode> {
  const url = urlOf(connection);
  warnOfPlaintext(url);
  const signIn = values['device'] === true || !hasBrowser() ? signInByDevice : signInByBrowser;
  const { token, renewal, email } = await signIn(url, scopeFor(values['platform'] === true));
  await keepSession(url, token, renewal);
  say(`${email} is signed in at ${url}`);
  return exitCodes.ok;
}

async function withPassword(connection: Connection, email: string): Promise<ExitCode> {
  const url = urlOf(connection);
  // Connect first, so that a warning about the address comes before the password is typed.
  const client = await connect(connection, '');
  const password = await askSecret(`Password of ${email}: `);
  const answer = await client.call('Account_Login', { Email: email, Password: password });
  const { Token, Session } = answer.Challenge
    ? await completeLogin(client, answer.Challenge)
    : answer;
  await keepSession(url, Token);
  say(
    `${email} is signed in at ${url}${Session?.ExpiresAt === undefined ? '' : ` until ${Session.ExpiresAt}`}`,
  );
  return exitCodes.ok;
}

export const logout: Command = {
  takes: '',
  summary:
    'Ends the stored session and removes it. The browser stays signed in. A stored bot key is removed and stays valid.',
  options: {},
  help: [],
  async run({ values }) {
    const connection: Connection = values;
    const url = urlOf(connection);
    const { Tokens, Renewals } = readSessions();
    const [token, renewal] = [Tokens[url], Renewals[url]];
    if (token === undefined) {
      say(`not signed in at ${url}`);
      return exitCodes.ok;
    }
    await (renewal ? revokeAt(url, renewal) : endSession(connection, token));
    await keepSession(url, undefined);
    say(`signed out at ${url}`);
    return exitCodes.ok;
  },
};

async function endSession(connection: Connection, token: string): Promise<void> {
  try {
    await (await connect(connection, token)).call('Account_Logout', {});
  } catch (error) {
    // The session has ended already, or the token is a bot key, which has no session.
    if (!(error instanceof UnauthenticatedError || error instanceof PermissionDeniedError))
      throw error;
  }
}

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
