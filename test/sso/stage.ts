import { bodyOf } from '../support/answers.ts';
import { eventually, type Stack, type Topology } from '../support/harness.ts';
import { sharedStack } from '../support/shared.ts';
import { countOf, rowsOf, whileLocked } from '../support/store.ts';
import { goThrough, type Home, oidcOf, type ProviderRecord, samlOf, saveProvider } from './home.ts';
import { startOp } from './oidc/op.ts';
import { startEvilIdp } from './saml/evil-idp.ts';

// The product with an OIDC and a SAML provider. Tests set the identity that both assert next.

export type Identity = {
  subject: string;
  email: string;
  verified?: boolean;
  groups?: string[];
  name?: string;
};

export type Providers = Awaited<ReturnType<typeof startProviders>>;

export const clientSecret = 'a secret that is long enough for HMAC-SHA256';

export async function startProviders(topology: Topology) {
  const [stack, op, idp] = await Promise.all([
    sharedStack(topology),
    startOp({ clients: [] }),
    startEvilIdp(),
  ]);
  let login = '';
  return {
    stack,
    op,
    idp,

    /** Sets the identity that both providers assert for the next sign-in. */
    setIdentity({
      subject,
      email,
      verified = true,
      groups = [],
      name = 'Ada Lovelace',
    }: Identity): void {
      login = subject;
      op.setAccount(subject, { email, email_verified: verified, groups, name });
      idp.setPerson({
        nameId: subject,
        attributes: { mail: [email], displayName: [name], groups },
      });
    },

    go: (start: string) => goThrough(stack, start, { login }),

    /** Adds the provider of that kind to a tenant. */
    async provide(home: Home, kind: string, fields: object = {}): Promise<ProviderRecord> {
      if (kind === 'saml') return saveProvider(stack, home, { ...samlOf(idp), ...fields });
      const provider = await saveProvider(
        stack,
        home,
        { ...oidcOf(op.issuer), ...fields },
        { Secret: clientSecret },
      );
      op.setClient({ id: 'bailiwick', redirectUris: [provider.RedirectURI], secret: clientSecret });
      return provider;
    },

    async stop(): Promise<void> {
      await Promise.all([stack.stop(), op.stop(), idp.stop()]);
    },
  };
}

/** The roles of a user in a tenant. */
export const rolesOf = (stack: Stack, { tenant }: Home, userId: string) =>
  rowsOf<{ role: string }>(
    stack,
    'select role from access.grant_entry where tenant = $1 and subject = $2 order by role',
    [tenant, userId],
  );

export const account = async (stack: Stack, token: string) =>
  bodyOf(await stack.call('Account_Get', {}, token)) as unknown as {
    User: { ID: string; Email: string; Name: string; HasPassword: boolean };
    Tenants: Array<{ ID: string }>;
  };

/**
 * Runs `meanwhile` while a sign-in whose response was accepted waits for the lock of its tenant,
 * which it needs to add its user as a member.
 */
export async function signInMeanwhile(
  { stack, go }: Pick<Providers, 'stack' | 'go'>,
  home: Home,
  start: string,
  meanwhile: () => Promise<unknown>,
) {
  const waiting = () =>
    countOf(
      stack,
      `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like '%access%tenant%for update%'`,
    ).then((count) => count > 0);
  const arriving = await whileLocked(
    stack,
    'select from access.tenant where id = $1 for update',
    [home.tenant],
    async () => {
      const answer = go(start);
      await eventually('the waiting sign-in', waiting);
      await meanwhile();
      return { answer };
    },
  );
  return arriving.answer;
}
