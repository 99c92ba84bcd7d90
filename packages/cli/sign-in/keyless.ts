import process from 'node:process';
import * as oauth from 'oauth4webapi';
import { exitCodes, Refusal } from '../failure.ts';
import { printable } from '../text.ts';
import { authentication, findIssuer, isNoResponse, reaching, requestOptions } from './issuer.ts';

// A bot without a key: a job of a forge exchanges its own token for one of the bot (RFC 8693). Neither token is printed, stored
// or passed to another process.

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const jwtType = 'urn:ietf:params:oauth:token-type:jwt';

/** A token is exchanged again before it ends, so that it lasts until its call arrives. */
const marginMs = 30_000;

/** The token of the bot in BAILIWICK_BOT, or undefined without this variable. */
export function keylessToken(url: string): (() => Promise<string>) | undefined {
  const bot = process.env['BAILIWICK_BOT']?.trim();
  if (!bot) return undefined;
  let token: Promise<string> | undefined;
  let endsAt = 0;
  const renew = async () => {
    try {
      const exchanged = await exchange(url, bot);
      ({ endsAt } = exchanged);
      return exchanged.token;
    } catch (error) {
      // The next call tries again.
      token = undefined;
      throw error;
    }
  };
  return () => {
    if (token === undefined || endsAt - Date.now() < marginMs) {
      // Calls at the same time wait for one exchange.
      endsAt = Number.POSITIVE_INFINITY;
      token = renew();
    }
    return token;
  };
}

async function exchange(url: string, bot: string): Promise<{ token: string; endsAt: number }> {
  const subjectToken = await readJobToken(url);
  const issuer = await findIssuer(url);
  const client: oauth.Client = { client_id: bot };
  try {
    const response = await reaching(url, () =>
      oauth.genericTokenEndpointRequest(
        issuer,
        client,
        authentication,
        exchangeGrant,
        { subject_token: subjectToken, subject_token_type: jwtType },
        requestOptions(),
      ),
    );
    const answer = await oauth.processGenericTokenEndpointResponse(issuer, client, response);
    return { token: answer.access_token, endsAt: Date.now() + (answer.expires_in ?? 0) * 1000 };
  } catch (error) {
    if (!(error instanceof oauth.ResponseBodyError)) throw error;
    const reason = printable(error.error_description ?? error.error);
    throw new Refusal(
      `${url} refused the token of this job for ${bot}: ${reason}\nthe audit of the bot's tenant names the reason (bot.token_refused): a trust of the bot must name this repository, branch and audience`,
      exitCodes.unauthenticated,
    );
  }
}

/** The token that the forge issued to this job: GitLab puts it into a variable, GitHub gives it on request. */
async function readJobToken(audience: string): Promise<string> {
  const jobToken = process.env['BAILIWICK_JOB_TOKEN']?.trim();
  if (jobToken) return jobToken;
  const address = process.env['ACTIONS_ID_TOKEN_REQUEST_URL'];
  const secret = process.env['ACTIONS_ID_TOKEN_REQUEST_TOKEN'];
  if (!address || !secret)
    throw new Refusal(
      'the job has no token for BAILIWICK_BOT: a workflow of GitHub needs the permission id-token: write, a job of GitLab id_tokens with BAILIWICK_JOB_TOKEN. A pull request from a fork gets none',
      exitCodes.unauthenticated,
    );
  return requestJobToken(new URL(address), secret, audience);
}

async function requestJobToken(url: URL, secret: string, audience: string): Promise<string> {
  url.searchParams.set('audience', audience);
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${secret}`, 'user-agent': 'bailiwick-cli' },
      redirect: 'error',
      signal: AbortSignal.timeout(30_000),
    });
    const { value } = (await response.json()) as { value?: unknown };
    if (response.ok && typeof value === 'string') return value;
    throw new Refusal(`GitHub gave the job no token (status ${response.status})`);
  } catch (error) {
    if (!isNoResponse(error) && !(error instanceof SyntaxError)) throw error;
    throw new Refusal('GitHub gave the job no token', exitCodes.unavailable);
  }
}
