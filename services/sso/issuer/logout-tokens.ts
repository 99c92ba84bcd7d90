import { randomUUID } from 'node:crypto';
import type { Handlers } from '@bailiwick/pipeline';
import type { AppLogout } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { default as Provider } from 'oidc-provider';
import { findApp } from '../apps/queries.ts';

type Deps = { database: Database; provider: () => Promise<Provider> };

/** The claim of OpenID Connect Back-Channel Logout 1.0, section 2.4. */
const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };

/**
 * Signs the tokens that tell apps of ended sessions: a new one for each attempt, since each is
 * valid for two minutes.
 */
export const logoutHandlers = ({ database, provider }: Deps): Handlers<typeof AppLogout> => ({
  async sign({ tenant, app: id, sessionId, userId }) {
    const app = await findApp(database, id);
    if (app?.tenant !== tenant) return { status: 'gone' };
    const issuer = await provider();
    const client = await issuer.Client.find(id);
    if (!client || app.backchannelLogoutUri === '') return { status: 'inactive' };
    const token = new issuer.IdToken({ sub: userId }, { client });
    // The claims that the token takes from the user. The library's types lack it.
    Object.assign(token, { mask: { sub: null } });
    for (const [name, value] of Object.entries({ events, jti: randomUUID(), sid: sessionId }))
      token.set(name, value);
    return {
      status: 'active',
      url: app.backchannelLogoutUri,
      logoutToken: await token.issue({ use: 'logout' }),
    };
  },
});
