import { readList, recordIn } from '../support/answers.ts';
import { startStack, type Topology } from '../support/harness.ts';
import { appOrigin } from '../support/shared.ts';
import { type Browser, startBrowser } from './browse.ts';
import { createHome, goThrough, type ProviderRecord } from './home.ts';
import { startOp } from './oidc/op.ts';

// The product with an OpenID provider of the platform. Its providers are everyone's, so the stack is
// not shared.

type Person = { sub: string; email?: string; email_verified?: boolean; name?: string };

/** The secret of the client at every provider. */
export const secret = 'a secret that is long enough for HMAC-SHA256';

export type SocialStage = Awaited<ReturnType<typeof startSocial>>;

export async function startSocial(topology: Topology) {
  const environment = { BAILIWICK_LIMITS: 'off', BAILIWICK_ALLOWED_ORIGINS: appOrigin };
  const [stack, op] = await Promise.all([
    startStack(topology, environment),
    startOp({ clients: [] }),
  ]);

  const save = (Provider: object, token = stack.platformKey) =>
    stack.call('Sso_SaveProvider', { Provider, Secret: secret }, token);

  /** Adds a provider of the platform. Its client ID is its name. */
  async function provide(Name: string, fields: object = {}): Promise<ProviderRecord> {
    const saved = recordIn(
      await save({ Name, Kind: 'oidc', Issuer: op.issuer, ClientID: Name, ...fields }),
      'Provider',
    ) as ProviderRecord;
    op.setClient({ id: Name, redirectUris: [saved.RedirectURI], secret });
    return saved;
  }

  const google = await provide('Google');
  const startOf = ({ ID }: { ID: string }, returnTo = '') =>
    `${stack.url}/auth/platform/${ID}/login${returnTo === '' ? '' : `?return_to=${encodeURIComponent(returnTo)}`}`;

  return {
    stack,
    op,
    google,
    save,
    provide,
    startOf,

    /** Signs in at a provider, which has verified the person's address unless `person` says otherwise. */
    enter(person: Person, { provider = google, returnTo = '', browser = startBrowser() } = {}) {
      op.setAccount(person.sub, { email_verified: true, ...person });
      return goThrough(stack, startOf(provider, returnTo), { login: person.sub, browser });
    },

    /** Links the social sign-in of a browser, as its page does. */
    link: (token: string, browser: Browser) =>
      stack.call('Account_LinkIdentity', {}, token, {
        cookie: `bailiwick_link=${browser.cookie('bailiwick_link')}`,
      }),

    /** The providers that a user is linked to. */
    async linksOf(UserID: string, token: string): Promise<string[]> {
      const { items } = await readList<{ Provider: string }>(
        stack,
        'Users_ListIdentities',
        { UserID },
        token,
      );
      return items.map(({ Provider }) => Provider);
    },

    home: () => createHome(stack),
    stop: () => Promise.all([stack.stop(), op.stop()]),
  };
}
