import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { People } from './people.ts';
import { currentVisit } from './visit.ts';

type Middleware = Parameters<Provider['use']>[0];

/**
 * The pages of a sign-out that an app asks for. With an ID token of the person, the sign-out goes on
 * without a question. Without one, another site may have sent the person, so the page asks.
 */
export const logoutPages = (publicUrl: string) => ({
  logoutSource(ctx: KoaContextWithOIDC): void {
    const { session, entities, params } = ctx.oidc;
    const { IdTokenHint: hint } = entities as { IdTokenHint?: { payload: { sub?: unknown } } };
    if (hint === undefined || hint.payload.sub !== session?.accountId)
      return ctx.redirect(`${publicUrl}/signed-out`);
    const { post_logout_redirect_uri: address } = params ?? {};
    currentVisit().form = {
      url: ctx.oidc.urlFor('end_session_confirm'),
      fields: { xsrf: String(session?.state?.['secret']), logout: 'yes' },
      // The library has checked that the app has registered it.
      leadsTo: typeof address === 'string' ? address : '',
    };
    ctx.body = '';
  },

  postLogoutSuccessSource: (ctx: KoaContextWithOIDC): void =>
    ctx.redirect(`${publicUrl}/signed-out`),
});

/** Ends the person's own session with the sign-out. */
export const signOutEverywhere =
  (people: People): Middleware =>
  async (ctx, next) => {
    await next();
    const { oidc } = ctx as unknown as { oidc?: KoaContextWithOIDC['oidc'] };
    const visit = currentVisit();
    const isConfirmed =
      oidc?.route === 'end_session_confirm' &&
      ctx.status === 303 &&
      oidc.params?.['logout'] !== undefined;
    if (!isConfirmed || !visit.person) return;
    await people.signOut(visit.person);
    visit.signedOut = true;
  };
