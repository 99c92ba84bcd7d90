import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { recordIn } from '../../support/answers.ts';
import type { Bot } from '../../support/bots.ts';
import type { Stack } from '../../support/harness.ts';
import { type Json, signToken } from '../oidc/jwt.ts';

// Tokens of other issuers, and their exchange for a token of a bot.

export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const typeOf = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;

/** The keys of an issuer. */
export type Signing = {
  kid: string;
  privateKey: KeyObject;
  /** The public key set, as an issuer publishes it. */
  jwks: string;
  sign: (claims: Json, header?: Json) => string;
};

export function newSigning(kid = 'k1'): Signing {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
  return {
    kid,
    privateKey,
    jwks: JSON.stringify({ keys: [key] }),
    sign: (claims, header = {}) =>
      signToken({ alg: 'RS256', typ: 'JWT', kid, ...header }, claims, privateKey),
  };
}

const seconds = () => Math.floor(Date.now() / 1000);
/** The times of a token that lives for ten minutes. */
export const times = () => ({ iat: seconds() - 1, nbf: seconds() - 1, exp: seconds() + 600 });

/** A job of GitHub Actions, with the claims that GitHub documents. */
export const githubJob = (): Json => ({
  jti: 'example-id',
  sub: 'repo:acme/app:ref:refs/heads/main',
  aud: 'https://id.example.com',
  ref: 'refs/heads/main',
  sha: 'example-sha',
  repository: 'acme/app',
  repository_owner: 'acme',
  actor_id: '12',
  repository_visibility: 'private',
  repository_id: '74',
  repository_owner_id: '583231',
  run_id: 'example-run-id',
  run_number: '10',
  run_attempt: '2',
  runner_environment: 'github-hosted',
  actor: 'octocat',
  workflow: 'deploy',
  head_ref: '',
  base_ref: '',
  event_name: 'push',
  ref_type: 'branch',
  job_workflow_ref: 'acme/ci/.github/workflows/deploy.yml@refs/heads/main',
  iss: 'https://token.actions.githubusercontent.com',
  ...times(),
});

/** A job of GitLab, with the claims that GitLab documents. */
export const gitlabJob = (): Json => ({
  namespace_id: '72',
  namespace_path: 'acme',
  project_id: '20',
  project_path: 'acme/app',
  user_id: '1',
  user_login: 'sample-user',
  user_email: 'sample-user@example.com',
  pipeline_id: '574',
  pipeline_source: 'push',
  job_id: '302',
  ref: 'main',
  ref_type: 'branch',
  ref_path: 'refs/heads/main',
  ref_protected: 'true',
  environment: 'production',
  environment_protected: 'true',
  runner_id: 1,
  runner_environment: 'self-hosted',
  sha: '714a629c0b401fdce83e847fc9589983fc6f46bc',
  project_visibility: 'private',
  ci_config_ref_uri: 'gitlab.com/acme/app//.gitlab-ci.yml@refs/heads/main',
  ci_config_sha: '714a629c0b401fdce83e847fc9589983fc6f46bc',
  jti: '235b3a54-b797-45c7-ae9a-f72d7bc6ef5b',
  iss: 'https://gitlab.com',
  sub: 'project_path:acme/app:ref_type:branch:ref:main',
  aud: 'https://id.example.com',
  ...times(),
});

/** The trust in a token: all that it names exactly, and the keys of its issuer. */
export const trustIn = (
  { Tenant, ID }: Pick<Bot, 'Tenant' | 'ID'>,
  claims: Json,
  jwks: string,
) => ({
  Tenant,
  Bot: ID,
  Issuer: claims['iss'],
  Audience: claims['aud'],
  Subject: claims['sub'],
  JWKS: jwks,
});

export async function saveTrust(
  stack: Pick<Stack, 'call'>,
  Trust: object,
  token: string,
): Promise<string> {
  const answer = await stack.call('BotTrusts_Save', { Trust }, token);
  return (recordIn(answer, 'Trust') as { ID: string }).ID;
}

export type TokenAnswer = { status: number; headers: Headers; body: Record<string, unknown> };

/** A request to the token endpoint, with the bot's key in the header if there is one. */
export async function requestToken(
  stack: Pick<Stack, 'url'>,
  form: Record<string, string>,
  basic?: { id: string; secret: string },
): Promise<TokenAnswer> {
  const authorization = basic && `Basic ${btoa(`${basic.id}:${basic.secret}`)}`;
  const { status, headers, ...response } = await fetch(`${stack.url}/oauth/token`, {
    method: 'POST',
    headers: { ...(authorization && { authorization }) },
    body: new URLSearchParams(form),
  }).then(async (answer) => ({
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Record<string, unknown>,
  }));
  return { status, headers, body: response.body };
}

/** Exchanges a token of another issuer for one of the bot. */
export const exchangeFor = (
  stack: Pick<Stack, 'url'>,
  bot: string,
  token: string,
  over: Record<string, string> = {},
): Promise<TokenAnswer> =>
  requestToken(stack, {
    grant_type: exchangeGrant,
    client_id: bot,
    subject_token: token,
    subject_token_type: typeOf('jwt'),
    ...over,
  });

/** The claims of an access token for Bailiwick, verified with its published keys. */
export async function verified(
  stack: Pick<Stack, 'url'>,
  { access_token: token }: Record<string, unknown>,
): Promise<JWTPayload> {
  const keys = createRemoteJWKSet(new URL(`${stack.url}/oauth/jwks`));
  const options = { issuer: stack.url, audience: stack.url, typ: 'at+jwt', algorithms: ['ES256'] };
  return (await jwtVerify(String(token), keys, options)).payload;
}
