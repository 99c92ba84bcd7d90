import { audience, startIssuer } from '@bailiwick/server/testing/issuer.ts';
import { verifier } from '@bailiwick/server/verifier.ts';
import { sessionCookie } from '@bailiwick/test/sso/home.ts';
import { createApp } from '@bailiwick/test/sso/issuer/stage.ts';
import { cpuMicrosOf } from '@bailiwick/test/support/numbers.ts';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { type Bench, compareCost, interleave, type Row, withErrors } from './bench.ts';
import { signIn } from './code-flow.ts';
import { closedLoop, cycle, openPool, operation } from './driver.ts';
import { createPeople, pidsOf, startMeasured } from './stack.ts';

const clients = 32;
const tokens = 20;

/**
 * G26, access tokens: the verifier of a service beside the library that it is built on, and a call
 * of our own with an access token beside the same call with the token of a session.
 */
export const verification: Bench = async ({ seconds, rounds }) => [
  await verifyingBeside(seconds, rounds),
  await callingWith(seconds, rounds),
];

async function verifyingBeside(seconds: number, rounds: number): Promise<Row> {
  const endings: Array<() => void> = [];
  const issuer = await startIssuer({ after: (end) => endings.push(end as () => void) });
  const signed = await Promise.all(Array.from({ length: tokens }, () => issuer.sign()));
  const verify = verifier({ issuer: issuer.issuer, audience });
  const keys = createRemoteJWKSet(new URL(`${issuer.issuer}/oauth/jwks`));
  const bare = (token: string) => jwtVerify(token, keys, { issuer: issuer.issuer, audience });
  const turn = (check: (token: string) => Promise<unknown>) => async () => {
    const next = cycle(signed);
    const started = performance.now();
    let calls = 0;
    while (performance.now() - started < seconds * 1000) {
      for (let index = 0; index < 50; index++) await check(next());
      calls += 50;
    }
    return ((performance.now() - started) * 1000) / calls;
  };
  const results = await interleave({ ours: turn(verify), bare: turn(bare) }, rounds);
  for (const end of endings) end();
  return compareCost(
    {
      id: 'G26',
      what: 'verifier() of an access token, ES256',
      unit: 'µs',
      against: 'jose alone',
      // At most 1.2 times the time.
      target: { least: 0.83 },
    },
    results.ours,
    results.bare,
  );
}

async function callingWith(seconds: number, rounds: number): Promise<Row> {
  const stack = await startMeasured('five processes');
  const people = await createPeople(stack, tokens);
  const scope = 'openid account';
  const app = await createApp(stack, { Scopes: scope.split(' '), Resources: [stack.url] });
  const jwts: string[] = [];
  for (const { token } of people) {
    const cookies = new Map([[sessionCookie, token]]);
    const site = { url: stack.url, id: app.ID, secret: app.secret, cookies, scope };
    const { access_token: jwt } = await signIn({ ...site, resource: stack.url });
    jwts.push(jwt);
  }
  const pool = openPool(stack.url);
  const turn = (credentials: readonly string[]) => async () => {
    const shots = credentials.map((token) => operation('Account_Get', {}, token));
    const before = cpuMicrosOf(...pidsOf(stack));
    const { calls, errors } = await closedLoop({ pool, next: cycle(shots) }, clients, seconds);
    return { cpu: (cpuMicrosOf(...pidsOf(stack)) - before) / calls, errors };
  };
  const results = await interleave(
    { jwt: turn(jwts), session: turn(people.map(({ token }) => token)) },
    rounds,
  );
  await pool.close();
  await stack.stop();
  const row = compareCost(
    {
      id: 'G26',
      what: 'CPU of Account_Get with an access token, five processes',
      unit: 'µs',
      against: 'with a session',
    },
    results.jwt.map(({ cpu }) => cpu),
    results.session.map(({ cpu }) => cpu),
  );
  return withErrors(row, results.jwt, results.session);
}
