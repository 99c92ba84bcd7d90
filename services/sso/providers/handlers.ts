import type { SignIn } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Sso } from '@bailiwick/proto/gen/bailiwick/sso/v1/sso_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import { notFound, unimplemented } from '@bailiwick/shared/errors.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { findProviderOfDomain } from '../domains/queries.ts';
import { findActiveProvider } from './queries.ts';

type Deps = { database: Database; publicUrl: string };

export function ssoHandlers({ database, publicUrl }: Deps): Handlers<typeof Sso> {
  return {
    async check({ email }) {
      const { domain } = normaliseEmail(email);
      const provider = await findProviderOfDomain(database, domain);
      return { redirect: provider ? `${publicUrl}/auth/${provider.tenant}/${provider.id}/login` : '' };
    },
  };
}

export function signInHandlers({ database }: Deps): Handlers<typeof SignIn> {
  async function assertProvider(tenant: string, id: string): Promise<void> {
    if (!(await findActiveProvider(database, tenant, id))) throw notFound('provider');
  }
  return {
    async start({ tenant, provider }) {
      await assertProvider(tenant, provider);
      return unimplemented();
    },
    async finish({ tenant, provider }) {
      await assertProvider(tenant, provider);
      return unimplemented();
    },
  };
}
