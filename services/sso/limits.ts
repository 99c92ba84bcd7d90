import { type Limit, type LimitProfile, perMinute } from '@bailiwick/contract';

/**
 * Tolerance for the clock of an identity provider. An answer is used once, and one to a request of
 * ours within the ten minutes of its sign-in, whatever it says.
 */
export const clockToleranceSeconds = 180;

/**
 * Limits per IP address. Home-realm discovery calls once per sign-in, and an office signs in from
 * one address. A sign-in counts at its start and at its end. An application's server calls the
 * OpenID provider from one address for all its users. A bot's requests for a token count for each
 * bot and address. A sign-in of a device looks its code up three times. A tenant has eight recovery
 * codes; tries with one of them count for the tenant too.
 */
export const ssoLimits: Record<LimitProfile, Record<string, Limit>> = {
  standard: {
    sso_check: perMinute(300),
    sso_providers: perMinute(300),
    sign_in: perMinute(240),
    issuer_page: perMinute(1200),
    issuer_app: perMinute(6000),
    issuer_failure: perMinute(300),
    bot_token: perMinute(600),
    device_code: { count: 120, seconds: 600 },
    recovery: { count: 20, seconds: 600 },
  },
  strict: {
    sso_check: perMinute(60),
    sso_providers: perMinute(60),
    sign_in: perMinute(60),
    issuer_page: perMinute(300),
    issuer_app: perMinute(1500),
    issuer_failure: perMinute(60),
    bot_token: perMinute(60),
    device_code: { count: 60, seconds: 600 },
    recovery: { count: 10, seconds: 600 },
  },
  off: {},
};
