import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Client, Configuration } from 'oidc-provider';
import { appOf } from './clients.ts';
import { type Context, stateOf } from './context.ts';
import type { Person } from './request.ts';

/** The code for a device, and the one that its user enters. */
export const deviceCodeSeconds = 10 * 60;

/** As long as the person's session can last. Refreshing ends sooner if the session does. */
function untilSessionEnds(person: Person | undefined): number {
  const remainingMs = person?.expiresAt ? timestampMs(person.expiresAt) - Date.now() : 0;
  return Math.max(60, Math.ceil(remainingMs / 1000));
}

const minute = 60;
const day = 24 * 60 * minute;

/** How long a sign-in's grant is needed, in seconds: by its refresh tokens, or its access token. */
export const grantLifetime = (client: Client, person: Person): number =>
  client.grantTypeAllowed('refresh_token')
    ? untilSessionEnds(person)
    : 2 * minute + appOf(client).tokenLifetimeSeconds;

const personOf = (ctx: Context) => stateOf(ctx).request.person;

/** How long the records of the OpenID provider are valid, in seconds. */
export const lifetimes: NonNullable<Configuration['ttl']> = {
  AccessToken: (_ctx, _token, client) => appOf(client).tokenLifetimeSeconds,
  IdToken: (_ctx, _token, client) => appOf(client).tokenLifetimeSeconds,
  ClientCredentials: (_ctx, _token, client) => appOf(client).tokenLifetimeSeconds,
  AuthorizationCode: minute,
  DeviceCode: deviceCodeSeconds,
  Interaction: 30 * minute,
  RefreshToken: 30 * day,
  Grant: (ctx) => untilSessionEnds(personOf(ctx)),
  // Without a person it keeps the secret of a form.
  Session: (ctx) => (personOf(ctx) ? untilSessionEnds(personOf(ctx)) : deviceCodeSeconds),
};
