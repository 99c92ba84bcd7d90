import { createRightsCache, leaseMs, type RevocationLogs } from '@bailiwick/broker';
import type { LimitProfile } from '@bailiwick/contract';
import {
  createTenantKeys,
  type KeyRing,
  type KeyService,
  openKeyRing,
  openKeyService,
} from '@bailiwick/keys';
import {
  createPager,
  createService,
  followPurges,
  forgetEverywhere,
  maintainDataKeys,
  type RightsSources,
  type ServiceOptions,
  serve,
} from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import { Imports } from '@bailiwick/proto/gen/bailiwick/access/v1/imports_pb.ts';
import { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { BotKeys } from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_keys_pb.ts';
import { BotTrusts } from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_trusts_pb.ts';
import { Bots } from '@bailiwick/proto/gen/bailiwick/identity/v1/bots_pb.ts';
import { Factors, RecoveryCodes } from '@bailiwick/proto/gen/bailiwick/identity/v1/factors_pb.ts';
import { Federation } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import {
  Credentials,
  Directory,
  IdentityKeys,
  IdentityLimits,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { LockReceipts } from '@bailiwick/proto/gen/bailiwick/identity/v1/lock_receipts_pb.ts';
import { Locks } from '@bailiwick/proto/gen/bailiwick/identity/v1/locks_pb.ts';
import { Passkeys } from '@bailiwick/proto/gen/bailiwick/identity/v1/passkeys_pb.ts';
import { Sessions } from '@bailiwick/proto/gen/bailiwick/identity/v1/sessions_pb.ts';
import { Support } from '@bailiwick/proto/gen/bailiwick/identity/v1/support_pb.ts';
import { Tokens } from '@bailiwick/proto/gen/bailiwick/identity/v1/tokens_pb.ts';
import { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import {
  DomainOwner,
  Issuer,
  PasswordPolicy,
  SsoRecovery,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { AppSignOuts } from '@bailiwick/proto/gen/bailiwick/sso/v1/sign_outs_pb.ts';
import {
  countAddress,
  createLimiter,
  type Database,
  renewHolder,
  type Transaction,
} from '@bailiwick/store';
import {
  createBehalfClient,
  createPeerClient,
  createRevocationLogs,
  type OwnSettings,
  type Service,
  servicePart,
} from '@bailiwick/wire';
import type { Transport } from '@connectrpc/connect';
import { createComparison } from './account/comparison.ts';
import { accountHandlers } from './account/handlers.ts';
import { createInFlight } from './account/in-flight.ts';
import { createSweeper } from './account/sweeps/sweeper.ts';
import { botKeysHandlers } from './bot-keys/handlers.ts';
import { createKeyNotices } from './bot-keys/notices.ts';
import { botTrustsHandlers } from './bot-trusts/handlers.ts';
import { botsHandlers } from './bots/handlers.ts';
import { removeBots } from './bots/purge.ts';
import { confirmCredential } from './credentials/confirm.ts';
import { credentialsHandlers } from './credentials/credentials.ts';
import { openTokens } from './credentials/installed.ts';
import { tokensHandlers } from './credentials/introspection.ts';
import { directoryHandlers, usersHandlers } from './directory/handlers.ts';
import { factorsHandlers, recoveryCodesHandlers } from './factors/handlers.ts';
import { federationHandlers } from './federation/handlers.ts';
import { forgetProvider } from './federation/identities/queries.ts';
import { dataKeysHandlers } from './keys/handlers.ts';
import { accountLimits } from './limits.ts';
import { type LockDeps, watchLocks } from './locks/follow.ts';
import { lockReceiptsHandlers } from './locks/handlers.ts';
import { locksHandlers } from './locks/keep.ts';
import { botLockHandler } from './locks/lock-bot.ts';
import { followOwnerNotices } from './owners/notices.ts';
import { passkeysHandlers } from './passkeys/handlers.ts';
import { type IsBreached, openBreached } from './passwords/breached/breached.ts';
import { accountChecks, userChecks } from './passwords/checks.ts';
import { createPasswords } from './passwords/passwords.ts';
import { createPasswordPolicy } from './passwords/policy.ts';
import { createPasswordRules, minLengths, type PasswordProfile } from './passwords/rules.ts';
import { createThrottle } from './passwords/throttle.ts';
import { identitySchema } from './schema.ts';
import { sealedRecords } from './sealed.ts';
import { sessionsHandlers } from './sessions/handlers.ts';
import { identitySettings } from './settings.ts';
import { supportHandlers } from './support/handlers.ts';
import { watchSupport } from './support/watch.ts';
import type { RegistrationRule } from './users/registration.ts';

type Options = {
  settings: OwnSettings<typeof identitySettings>;
  peers: { access: Transport; sso: Transport };
  log: Log;
};

const clientsOf = ({ access, sso }: Options['peers']) => ({
  authority: createPeerClient(Authority, access, 'identity'),
  ownAuthority: createBehalfClient(Authority, access, 'identity'),
  admission: createPeerClient(Admission, access, 'identity'),
  imports: createBehalfClient(Imports, access, 'identity'),
  domainOwner: createPeerClient(DomainOwner, sso, 'identity'),
  sso: createPeerClient(PasswordPolicy, sso, 'identity'),
  recovery: createPeerClient(SsoRecovery, sso, 'identity'),
  issuer: createPeerClient(Issuer, sso, 'identity'),
  signOuts: createPeerClient(AppSignOuts, sso, 'identity'),
});

/**
 * The first change after a pause is published at once. Those that follow it, as sign-ins do, share
 * a batch in relay, audit and fan-out: waking these for each costs more CPU than the sign-in
 * itself.
 */
const relayPauseMs = 100;

/** Removes the records of a purged tenant in other tables: its bots and its providers' links. */
async function leaveTenant(tx: Transaction, tenant: string): Promise<void> {
  await removeBots(tx, tenant);
  await forgetProvider(tx, tenant, '');
}

/** The settings of the pages: where they lead, and the ways in that they offer. */
const pageRules = ({ publicUrl, appUrl, allowedOrigins, ...settings }: Options['settings']) => ({
  publicUrl,
  appUrl,
  allowedOrigins,
  emailCodes: settings.emailCodes === 'on',
  registration: settings.registration as RegistrationRule,
  passwordLength: minLengths[settings.passwordProfile as PasswordProfile],
  breachCheck: settings.breachedPasswords !== '',
});

/** The resources opened before the start. */
type Resources = { keyRing: KeyRing; keyService: KeyService; isBreached: IsBreached | undefined };

function passwordsOn(database: Database) {
  const passwords = createPasswords();
  return { passwords, comparePassword: createComparison({ database, passwords }) };
}

const passwordRulesOf = (
  { passwordProfile }: Options['settings'],
  isBreached: IsBreached | undefined,
) => createPasswordRules(passwordProfile as PasswordProfile, isBreached);

/** Where the rights of running calls are asked for again. */
const rightsOf = (
  deps: Parameters<typeof confirmCredential>[0] & Pick<RightsSources, 'authority'>,
): RightsSources => ({
  ...deps,
  credential: (request, origin) => confirmCredential(deps, request.credential, origin),
});

/** The logs of those who can revoke the entries of this cache. */
const logsOf = (database: Database, { access }: Options['peers']): RevocationLogs => ({
  ...createRevocationLogs({ access }, 'identity', leaseMs),
  identity: (renewal) => renewHolder(database, identitySchema, renewal),
});

type FollowerDeps = Parameters<typeof followOwnerNotices>[0] & Parameters<typeof watchSupport>[0];

/** The work that follows events. */
const followers = (deps: FollowerDeps) => [followOwnerNotices(deps), ...watchSupport(deps)];

const botServices = (
  deps: Parameters<typeof botsHandlers>[0] & LockDeps & BotKeysDeps & BotTrustsDeps,
) => [
  serve(Bots, { ...botsHandlers(deps), ...botLockHandler(deps) }),
  serve(BotKeys, botKeysHandlers(deps)),
  serve(BotTrusts, botTrustsHandlers(deps)),
];
type BotKeysDeps = Parameters<typeof botKeysHandlers>[0];
type BotTrustsDeps = Parameters<typeof botTrustsHandlers>[0];

/** The parts with which the service starts, on its database and broker. */
function partsOf(
  { settings, peers, log }: Options,
  { keyRing, keyService, isBreached }: Resources,
  { broker, ...stores }: Parameters<ServiceOptions['parts']>[0],
) {
  const { database } = stores;
  const limits = accountLimits[settings.limits as LimitProfile];
  const { domainOwner, ...clients } = clientsOf(peers);
  const limiter = createLimiter(database);
  const keys = createTenantKeys({ database, service: keyService });
  const deps = {
    ...pageRules(settings),
    ...clients,
    ...stores,
    keyRing,
    keys,
    rightsCache: createRightsCache(broker, logsOf(database, peers), { isCounted: false }),
    ...passwordsOn(database),
    passwordPolicy: createPasswordPolicy(clients),
    throttle: createThrottle({ database, limiter, limits }),
    signIns: createInFlight(limits.signInsAtOnce),
    limiter,
    limits,
    pager: createPager(keyRing),
    log,
  };
  const passwordRules = passwordRulesOf(settings, isBreached);
  const forget = forgetEverywhere(broker, keys);
  return {
    served: [
      serve(Account, accountHandlers(deps), accountChecks(passwordRules)),
      serve(Sessions, sessionsHandlers(deps)),
      serve(Support, supportHandlers(deps)),
      serve(Factors, factorsHandlers(deps)),
      serve(Passkeys, passkeysHandlers(deps)),
      serve(RecoveryCodes, recoveryCodesHandlers(deps)),
      serve(Users, usersHandlers(deps), userChecks(passwordRules)),
      serve(LockReceipts, lockReceiptsHandlers(deps)),
      serve(Locks, locksHandlers(database)),
      ...botServices(deps),
      serve(Credentials, credentialsHandlers({ ...deps, installed: openTokens(settings, log) })),
      serve(Tokens, tokensHandlers(deps)),
      serve(IdentityLimits, { take: countAddress(deps.limiter, limits.addresses) }),
      serve(IdentityKeys, dataKeysHandlers({ database })),
      serve(Directory, directoryHandlers({ database, domainOwner })),
      serve(Federation, federationHandlers(deps)),
    ],
    background: [
      createSweeper(deps, log),
      createKeyNotices({ database, log }),
      watchLocks(deps),
      ...followers({ ...deps, broker }),
      followPurges({ schema: identitySchema, database, broker, log, before: leaveTenant }),
      maintainDataKeys({ ...deps, service: keyService, records: sealedRecords, forget }),
      () => async () => deps.rightsCache.close(),
    ],
    rights: rightsOf(deps),
  };
}

/** The identity service: users, credentials and sessions. */
async function createIdentity(options: Options): Promise<Service> {
  const { settings, log } = options;
  const isBreached = await openBreached(settings.breachedPasswords, log);
  const keyRing = openKeyRing(settings.keyRing, log);
  const keyService = openKeyService(settings, keyRing);
  const service = await createService({
    schema: identitySchema,
    settings,
    keyRing,
    log,
    relayPauseMs,
    parts: (stores) => partsOf(options, { keyRing, keyService, isBreached }, stores),
  });
  return {
    ...service,
    async stop() {
      await service.stop();
      await keyService.close();
    },
  };
}

export const identityPart = servicePart('identity', identitySettings, createIdentity);
