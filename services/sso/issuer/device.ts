import { createHash } from 'node:crypto';
import { callerNetwork, type Limit } from '@bailiwick/contract';
import { exhausted, ServiceError } from '@bailiwick/errors';
import type { Limiter } from '@bailiwick/store';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client, Configuration } from 'oidc-provider';
import { errors, Provider } from 'oidc-provider';
import { appOf, describeApp } from './clients.ts';
import { type Context, type Middleware, oidcOf, reply, stateOf } from './context.ts';
import { scopesOf } from './grants.ts';
import { deviceCodeSeconds } from './lifetimes.ts';
import type { DevicePage, IssuerRequest } from './request.ts';

// The device flow (RFC 8628): the library's pages are replaced by ours, and its codes are guarded
// against guesses, fast polling and a second answer.

type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>;

/** Shows a page of ours instead of the library's. */
function show(ctx: Context, page: DevicePage): void {
  const xsrfToken = textOf(ctx.oidc.session?.state?.['secret']);
  reply(ctx, { kind: 'device', devicePage: { xsrfToken, ...page } });
}

/** The code as a device shows it; '' for a text that cannot be one. No page shows such a text. */
function readableCode(text: unknown): string {
  const letters =
    typeof text === 'string' ? text.normalize('NFKC').replaceAll(/[\W_]/g, '').toUpperCase() : '';
  return /^[B-DF-HJ-NP-TV-XZ]{8}$/.test(letters)
    ? `${letters.slice(0, 4)}-${letters.slice(4)}`
    : '';
}

/** Why the library shows the page for the code again. */
const problems: Readonly<Record<string, string>> = {
  NoCodeError: 'missing',
  NotFoundError: 'unknown',
  ExpiredError: 'expired',
  AlreadyUsedError: 'used',
};

export const devicePages = (publicUrl: string): DeviceFlow => ({
  userCodeInputSource(ctx, _form, _out, error) {
    if (error?.cause instanceof ServiceError)
      return reply(ctx, { kind: 'refusal', error: error.cause });
    if (error?.name === 'AbortedError') return show(ctx, { kind: 'denied' });
    const problem = error ? (problems[error.name] ?? 'again') : '';
    show(ctx, { kind: 'code', problem });
  },

  userCodeConfirmSource(ctx, _form, client, deviceInfo, userCode) {
    const code = ctx.oidc.entities.DeviceCode;
    const { ui_locales: uiLocales, scope } = code?.params ?? {};
    if (!stateOf(ctx).request.person) {
      ctx.status = 303;
      ctx.redirect(`${publicUrl}/login?${signInQuery(client, userCode, textOf(uiLocales))}`);
      return;
    }
    show(ctx, {
      ...describeApp(client),
      kind: 'confirm',
      scopes: scopesOf(client, textOf(scope).split(' ')),
      userCode,
      ip: textOf(deviceInfo['ip']),
      askedAt: timestampFromDate(new Date((code?.iat ?? 0) * 1000)),
    });
  },

  successSource(ctx) {
    show(ctx, { ...(ctx.oidc.client && describeApp(ctx.oidc.client)), kind: 'allowed' });
  },
});

/** The parameters of our sign-in page, which leads back to the code. */
function signInQuery(client: Client, userCode: string, uiLocales: string): string {
  const { tenant } = appOf(client);
  const locales = uiLocales.slice(0, 100);
  return new URLSearchParams({
    ...(tenant !== '' && { tenant }),
    ...(locales !== '' && { ui_locale: locales }),
    return_to: `/device?${new URLSearchParams({ user_code: userCode }).toString()}`,
  }).toString();
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Replaces the library's form with the code of the address by our page, which sends it on. */
export const fillInCode: Middleware = async (ctx, next) => {
  await next();
  const oidc = oidcOf(ctx);
  const input = oidc?.params?.['user_code'];
  if (oidc?.route !== 'code_verification' || ctx.method !== 'GET' || !input) return;
  const userCode = readableCode(input);
  show(ctx as unknown as Context, { kind: 'code', userCode });
};

/** A device waits 5 seconds between two polls (RFC 8628, section 3.2). Networks vary. */
const polls: Limit = { count: 1, seconds: 4 };
/** A sign-in looks a code up three times: as it is entered, after the sign-in, and confirmed. */
const guessesOfPerson: Limit = { count: 30, seconds: 600 };
const answers: Limit = { count: 1, seconds: deviceCodeSeconds };

type Guard = { limiter: Limiter; limits: Readonly<Record<string, Limit>> };

const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');

// The library calls its models without its context, which only its own `Provider.ctx` has.
/** Limits how often codes are guessed and polled for, and takes one answer for each. */
export function guardDeviceCodes({ DeviceCode }: Provider, { limiter, limits }: Guard): void {
  const find = DeviceCode.find.bind(DeviceCode);
  const findByUserCode = DeviceCode.findByUserCode.bind(DeviceCode);

  Object.assign(DeviceCode, {
    async find(...args: Parameters<typeof find>) {
      const code = await find(...args);
      if (!code || Provider.ctx?.oidc.route !== 'token') return code;
      // Before the code is read: of concurrent polls only one can use it.
      if ((await limiter.use(`device poll ${hashOf(args[0])}`, polls)) > 0)
        throw new errors.SlowDown();
      return code;
    },

    async findByUserCode(...args: Parameters<typeof findByUserCode>) {
      const { ctx } = Provider;
      const { request } = stateOf(ctx);
      await countGuess({ limiter, limits }, request);
      const code = await findByUserCode(...args);
      const { confirm, abort } = ctx?.oidc.params ?? {};
      if (!code || (confirm === undefined && abort === undefined)) return code;
      // The page with these buttons is shown to signed-in people only: the session has ended since.
      if (!request.person) throw new errors.InvalidRequest('there is no session');
      const isFirst = (await limiter.use(`device answer ${hashOf(args[0])}`, answers)) === 0;
      return isFirst ? code : Object.assign(code, { inFlight: true });
    },
  });
}

/**
 * Counts a look-up of a code by a person, or by an address without a session: others at the same
 * address must not lock signed-in people out. @throws beyond the limit
 */
async function countGuess({ limiter, limits }: Guard, { person, ip }: IssuerRequest) {
  const [key, limit] = person
    ? [`device codes ${person.id}`, guessesOfPerson]
    : [`address device_code ${callerNetwork(ip)}`, limits['device_code']];
  const wait = limit ? await limiter.use(key, limit) : 0;
  if (wait === 0) return;
  // The library catches it, and hands it to the page for the code.
  const cause = exhausted('too many requests, try again later', wait);
  throw new errors.InvalidRequest('too many codes', undefined, { cause });
}
