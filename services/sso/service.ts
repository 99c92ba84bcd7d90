import {
  type Broker,
  createRightsCache,
  leaseMs,
  type RevocationLogs,
  type RightsCache,
} from '@bailiwick/broker';
import type { Limit, LimitProfile, Origin } from '@bailiwick/contract';
import { createPools, egressRulesOf } from '@bailiwick/egress';
import { createTenantKeys, type KeyService, openKeyRing, openKeyService } from '@bailiwick/keys';
import {
  createPager,
  createService,
  followPurges,
  forgetEverywhere,
  maintainDataKeys,
  type RightsSources,
  serve,
} from '@bailiwick/pipeline';
import { deferred, type Log } from '@bailiwick/process';
import { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { Federation } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import {
  Credentials,
  Directory,
  IdentityKeys,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { Locks } from '@bailiwick/proto/gen/bailiwick/identity/v1/locks_pb.ts';
import { AccountApps } from '@bailiwick/proto/gen/bailiwick/sso/v1/account_apps_pb.ts';
import { Apps } from '@bailiwick/proto/gen/bailiwick/sso/v1/apps_pb.ts';
import { Domain } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import {
  DataKeys,
  DomainOwner,
  PasswordPolicy,
  SignIn,
  SsoLimits,
  SsoRecovery,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { Sso } from '@bailiwick/proto/gen/bailiwick/sso/v1/sso_pb.ts';
import { countAddress, createLimiter, type Database, renewHolder } from '@bailiwick/store';
import {
  createBehalfClient,
  createPeerClient,
  createRevocationLogs,
  type OwnSettings,
  type PeerClient,
  type Service,
  servicePart,
} from '@bailiwick/wire';
import type { Transport } from '@connectrpc/connect';
import { watchSessions } from './app-sign-ins/watch.ts';
import type { AppDeps } from './apps/deps.ts';
import { appChecks, appHandlers } from './apps/handlers.ts';
import type { DomainDeps } from './domains/deps.ts';
import { domainChecks, domainHandlers } from './domains/handlers.ts';
import { followVerified } from './domains/joining/follow.ts';
import { ownerHandlers } from './domains/owner.ts';
import { policyHandlers } from './domains/policy.ts';
import { createTxtLookUp } from './domains/proof/txt.ts';
import { watchDomains } from './domains/proof/watch.ts';
import { accountAppsHandlers } from './issuer/account-apps.ts';
import { openIssuer } from './issuer/open-issuer.ts';
import { dataKeysHandlers } from './keys/handlers.ts';
import { ssoLimits } from './limits.ts';
import { createOauth } from './oauth/oauth.ts';
import { limits as oidcLimits } from './oidc/http.ts';
import { createOidc } from './oidc/oidc.ts';
import type { ProviderDeps } from './providers/deps.ts';
import { providerChecks, providerHandlers } from './providers/handlers.ts';
import { createProtocols } from './providers/protocols.ts';
import { watchCertificates } from './providers/rollover/watch.ts';
import { socialProvidersHandler } from './providers/social.ts';
import { liftHandler } from './requirement/lift.ts';
import { recoveryCodesHandlers, recoveryHandlers } from './requirement/recovery/handlers.ts';
import { ssoSchema } from './schema.ts';
import { sealedRecords } from './sealed.ts';
import { ssoSettings } from './settings.ts';
import type { SignInDeps } from './sign-in/deps.ts';
import { signInHandlers } from './sign-in/handlers.ts';
import { createSweeper } from './sweeper.ts';

type Options = {
  settings: OwnSettings<typeof ssoSettings>;
  peers: { identity: Transport; access: Transport };
  log: Log;
};

const clientsOf = ({ identity, access }: Options['peers']) => ({
  federation: createPeerClient(Federation, identity, 'sso'),
  ownFederation: createBehalfClient(Federation, identity, 'sso'),
  identityKeys: createBehalfClient(IdentityKeys, identity, 'sso'),
  credentials: createPeerClient(Credentials, identity, 'sso'),
  directory: createPeerClient(Directory, identity, 'sso'),
  locks: createPeerClient(Locks, identity, 'sso'),
  admission: createPeerClient(Admission, access, 'sso'),
  ownAdmission: createBehalfClient(Admission, access, 'sso'),
  authority: createPeerClient(Authority, access, 'sso'),
});

const loadSaml = deferred(() => import('./saml/saml.ts'));

const protocolsOf = (client: Parameters<typeof createOidc>[0], publicUrl: string) =>
  createProtocols({
    oidc: createOidc(client),
    oauth: createOauth(client),
    saml: {
      begin: async (...request) => (await loadSaml()).createSaml().begin(...request),
      finish: async (...answer) => (await loadSaml()).createSaml().finish(...answer),
    },
    publicUrl,
  });

type Deps = ProviderDeps &
  AppDeps &
  DomainDeps &
  SignInDeps & {
    forget: (tenant: string) => void;
    identityKeys: PeerClient<typeof IdentityKeys>;
    replaceSigningKeys: (call: Origin, options: { withdraws: boolean }) => Promise<void>;
    limits: Record<string, Limit>;
    recoveryLimit: Limit | undefined;
  };

const servedBy = (deps: Deps) => [
  serve(
    Sso,
    {
      ...providerHandlers(deps),
      ...socialProvidersHandler(deps),
      ...liftHandler(deps),
      ...recoveryCodesHandlers(deps),
    },
    providerChecks(deps.egress),
  ),
  serve(Domain, domainHandlers(deps), domainChecks),
  serve(Apps, appHandlers(deps), appChecks(deps.egress)),
  serve(AccountApps, accountAppsHandlers(deps)),
  serve(SignIn, signInHandlers(deps)),
  serve(DataKeys, dataKeysHandlers(deps)),
  serve(PasswordPolicy, policyHandlers(deps)),
  serve(DomainOwner, ownerHandlers(deps)),
  serve(SsoRecovery, recoveryHandlers(deps)),
  serve(SsoLimits, { take: countAddress(deps.limiter, deps.limits) }),
];

type BackgroundDeps = Deps &
  Pick<ReturnType<typeof clientsOf>, 'credentials'> & {
    broker: Broker;
    rightsCache: RightsCache;
    keyService: KeyService;
    log: Log;
  };

const backgroundOf = (deps: BackgroundDeps) => [
  createSweeper(deps),
  ...watchSessions(deps),
  watchDomains(deps),
  watchCertificates(deps),
  followVerified(deps),
  maintainDataKeys({ ...deps, service: deps.keyService, records: sealedRecords }),
  followPurges({ ...deps, schema: ssoSchema, after: deps.forget }),
  () => async () => deps.rightsCache.close(),
];

/** Where the rights of running calls are asked for again. */
const rightsOf = (calls: ReturnType<typeof clientsOf>): RightsSources => ({
  ...calls,
  credential: (request, origin) => calls.credentials.confirm(request, origin),
});

/**
 * The first change after a pause is published at once. Those that follow it, as sign-ins to apps do,
 * share a batch in relay, audit and fan-out.
 */
const relayPauseMs = 100;

/** The logs of those who can revoke the issuer's entries. */
const logsOf = (database: Database, peers: Options['peers']): RevocationLogs => ({
  ...createRevocationLogs(peers, 'sso', leaseMs),
  sso: (renewal) => renewHolder(database, ssoSchema, renewal),
});

/** Verifies domains, stores identity providers and runs sign-ins through them. */
async function createSso({ settings, peers, log }: Options): Promise<Service> {
  const ring = openKeyRing(settings.keyRing, log);
  const keyService = openKeyService(settings, ring);
  const pools = createPools({ ...oidcLimits, proxy: settings.egressProxyUrl });
  const egress = egressRulesOf(settings);
  const limits = ssoLimits[settings.limits as LimitProfile];
  const { publicUrl, allowedOrigins, appUrl } = settings;
  const calls = clientsOf(peers);
  const lookUp = createTxtLookUp(settings.dnsResolvers);
  const protocols = protocolsOf({ pools, egress, log }, publicUrl);
  const service = await createService({
    schema: ssoSchema,
    settings,
    keyRing: ring,
    log,
    relayPauseMs,
    parts({ broker, ...stores }) {
      const { database } = stores;
      const keys = createTenantKeys({ database, service: keyService });
      const rightsCache = createRightsCache(broker, logsOf(database, peers), { isCounted: false });
      const shared = {
        ...calls,
        ...stores,
        rightsCache,
        keys,
        forget: forgetEverywhere(broker, keys),
        protocols,
        pools,
        egress,
        lookUp,
        limiter: createLimiter(database),
        limits,
        signInLimit: limits['sign_in'],
        recoveryLimit: limits['recovery'],
        ring,
        pager: createPager(ring),
        publicUrl,
        allowedOrigins,
        appUrl,
        log,
      };
      const issuer = openIssuer(shared);
      const deps = { ...shared, replaceSigningKeys: issuer.replaceKeys };
      return {
        rights: rightsOf(calls),
        served: [...servedBy(deps), ...issuer.served],
        background: [issuer.background, ...backgroundOf({ ...deps, broker, keyService })],
      };
    },
  });
  return {
    ...service,
    async stop() {
      await service.stop();
      await pools.close();
      await keyService.close();
    },
  };
}

export const ssoPart = servicePart('sso', ssoSettings, createSso);
