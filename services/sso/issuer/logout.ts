import { type Context, type Middleware, oidcOf, reply, stateOf } from './context.ts';
import type { People } from './people.ts';
import { originOf } from './request.ts';

/**
 * The pages of a sign-out that an app asks for. With an ID token of the person, the sign-out goes on
 * without a question. Without one, another site may have sent the person, so the page asks.
 */
export const logoutPages = (publicUrl: string) => ({
  logoutSource(ctx: Context): void {
    const { session, entities, params } = ctx.oidc;
    const { IdTokenHint: hint } = entities as { IdTokenHint?: { payload: { sub?: unknown } } };
    if (hint === undefined || hint.payload.sub !== session?.accountId)
      return ctx.redirect(`${publicUrl}/signed-out`);
    const { post_logout_redirect_uri: address } = params ?? {};
    reply(ctx, {
      kind: 'form',
      formUrl: ctx.oidc.urlFor('end_session_confirm'),
      form: { xsrf: String(session?.state?.['secret']), logout: 'yes' },
      // The library has checked that the app has registered the address.
      formScheme: (typeof address === 'string' && URL.parse(address)?.protocol) || '',
    });
  },

  postLogoutSuccessSource: (ctx: Context): void => ctx.redirect(`${publicUrl}/signed-out`),
});

/** Ends the person's own session with the sign-out. */
export const signOutEverywhere =
  (people: People): Middleware =>
  async (ctx, next) => {
    await next();
    const oidc = oidcOf(ctx);
    const state = stateOf(ctx);
    const { person } = state.request;
    const isConfirmed =
      oidc?.route === 'end_session_confirm' &&
      ctx.status === 303 &&
      oidc.params?.['logout'] !== undefined;
    if (!isConfirmed || !person) return;
    await people.signOut(person, originOf(state.request));
    state.reply = { kind: 'sign-out', signedOut: true };
  };
