import { normaliseEmail } from '@bailiwick/contract';
import { type EgressRules, urlProblem } from '@bailiwick/egress';
import type { Checks, Handlers } from '@bailiwick/pipeline';
import type { Sso } from '@bailiwick/proto/gen/bailiwick/sso/v1/sso_pb.ts';
import { addressOf } from '../addresses.ts';
import { findProviderOfDomain } from '../domains/queries.ts';
import { readSigningKey } from '../oidc/client-authentication.ts';
import { toApi } from './api-record.ts';
import { confirmProvider } from './confirmation.ts';
import { deleteProvider } from './delete.ts';
import type { ProviderDeps } from './deps.ts';
import { diagnose } from './diagnose.ts';
import { findProvider, listProviders, providerNotFound } from './queries.ts';
import { reserveProvider } from './reservations/reserve.ts';
import { confirmCertificate } from './rollover/confirm.ts';
import { saveProvider } from './save.ts';
import { newProblems } from './values.ts';

type Managed =
  | 'check'
  | 'reserveProvider'
  | 'saveProvider'
  | 'confirmProvider'
  | 'confirmCertificate'
  | 'getProvider'
  | 'listProviders'
  | 'deleteProvider'
  | 'testProvider';

function metadataUrlProblems(field: string, url: string, egress: EgressRules): string[] {
  const problem = url === '' ? undefined : urlProblem(url, egress);
  return problem ? [`${field} ${problem}`] : [];
}

export const providerChecks = (egress: EgressRules): Checks<typeof Sso> => ({
  saveProvider({ provider, secret, privateKey, metadataXml, metadataUrl }) {
    const problems = [
      ...metadataUrlProblems('MetadataURL', metadataUrl, egress),
      ...metadataUrlProblems('Provider.MetadataURL', provider?.metadataUrl ?? '', egress),
      ...(privateKey === '' || readSigningKey(privateKey)
        ? []
        : ['PrivateKey must be a P-256 private key in PEM, without a password']),
    ];
    // Problems that depend on a stored provider or on metadata are found later, once they are read.
    const isComplete =
      provider?.id === '' &&
      (provider.kind === 'oidc' ||
        provider.kind === 'oauth' ||
        (provider.kind === 'saml' &&
          metadataXml === '' &&
          metadataUrl === '' &&
          !provider.metadataUrl));
    return isComplete
      ? [
          ...problems,
          ...newProblems(provider, {
            tenant: provider.tenant,
            hasSecret: secret !== '',
            hasSigningKey: privateKey !== '',
            egress,
          }),
        ]
      : problems;
  },
});

export function providerHandlers(deps: ProviderDeps): Pick<Handlers<typeof Sso>, Managed> {
  const { admission, database, pager, publicUrl } = deps;
  return {
    async check({ email }, call) {
      const { domain } = normaliseEmail(email);
      const provider = await findProviderOfDomain(database, domain);
      // A closed tenant accepts no sign-in. Its users can use other tenants and passwords.
      const isOpen =
        provider !== undefined && (await admission.isOpen({ tenant: provider.tenant }, call)).open;
      return { redirect: isOpen ? addressOf(publicUrl, provider, 'login') : '' };
    },

    async reserveProvider(request, call) {
      return { reservation: await reserveProvider(deps, request, call) };
    },

    async saveProvider(request, call) {
      return { provider: toApi(await saveProvider(deps, request, call), publicUrl) };
    },

    async confirmProvider(request, call) {
      return { provider: toApi(await confirmProvider(deps, request, call), publicUrl) };
    },

    async confirmCertificate(request, call) {
      return { provider: toApi(await confirmCertificate(deps, request, call), publicUrl) };
    },

    async getProvider({ tenant, id }) {
      const provider = await findProvider(database, tenant, id);
      if (!provider) throw providerNotFound();
      return { provider: toApi(provider, publicUrl) };
    },

    async listProviders({ tenant, page }, { operation }) {
      const binding = [operation.name, tenant];
      return pager.list(
        page,
        binding,
        (query) => listProviders(database, tenant, query),
        (row) => toApi(row, publicUrl),
      );
    },

    async deleteProvider(request, call) {
      await deleteProvider(deps, request, call);
      return {};
    },

    async testProvider({ tenant, id }, call) {
      const provider = await findProvider(database, tenant, id);
      if (!provider) throw providerNotFound();
      const findings = await diagnose(deps, provider, call.signal);
      return { ok: findings.every(({ level }) => level !== 'error'), findings };
    },
  };
}
