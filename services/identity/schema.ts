import { DekEntity } from '@bailiwick/keys';
import { OutboxEntity } from '@bailiwick/outbox';
import { IdempotentCallEntity } from '@bailiwick/pipeline';
import { RateWindowEntity, type ServiceSchema } from '@bailiwick/store';
import {
  EmailChangeEntity,
  MailedCodeEntity,
  RegistrationEntity,
  ResetTokenEntity,
} from './account/entities.ts';
import { BotEntity, BotKeyEntity, BotTrustEntity } from './bots/entities.ts';
import { LoginChallengeEntity, RecoveryCodeEntity, TotpFactorEntity } from './factors/entities.ts';
import {
  IdentityLinkEntity,
  PendingLinkEntity,
  UnconfirmedProviderEntity,
} from './federation/entities.ts';
import { Initial } from './migrations/001-initial.ts';
import { Accounts } from './migrations/002-accounts.ts';
import { Bots } from './migrations/003-bots.ts';
import { Federation } from './migrations/004-federation.ts';
import { SessionLimits } from './migrations/005-session-limits.ts';
import { ConfirmedLinks } from './migrations/006-confirmed-links.ts';
import { Idempotency } from './migrations/008-idempotency.ts';
import { ConfirmedLinkMarks } from './migrations/009-confirmed-link-marks.ts';
import { SessionCodes } from './migrations/010-session-codes.ts';
import { SessionAssurance } from './migrations/011-session-assurance.ts';
import { Factors } from './migrations/012-factors.ts';
import { Passkeys } from './migrations/013-passkeys.ts';
import { MailedCodes } from './migrations/014-mailed-codes.ts';
import { PendingLinks } from './migrations/015-pending-links.ts';
import { ProvenSessions } from './migrations/016-proven-sessions.ts';
import { PasskeyProviders } from './migrations/017-passkey-providers.ts';
import { OwnAssurance } from './migrations/018-own-assurance.ts';
import { RegistrationLocale } from './migrations/020-registration-locale.ts';
import { ProvenMailboxes } from './migrations/021-proven-mailboxes.ts';
import { BotTrusts } from './migrations/022-bot-trusts.ts';
import { TrustKeys } from './migrations/024-trust-keys.ts';
import { SupportSessions } from './migrations/025-support-sessions.ts';
import { KeyExpiry } from './migrations/026-key-expiry.ts';
import { Search } from './migrations/027-search.ts';
import { Import } from './migrations/028-import.ts';
import { Makers } from './migrations/029-makers.ts';
import { UnconfirmedProviders } from './migrations/030-unconfirmed-providers.ts';
import { SupportEnds } from './migrations/031-support-ends.ts';
import { LookalikeKey } from './migrations/033-lookalike-key.ts';
import { KeyEnds } from './migrations/039-key-ends.ts';
import { ImportBatch } from './migrations/040-import-batch.ts';
import { SsoRecovery } from './migrations/041-sso-recovery.ts';
import { PasskeyEntity, UsedChallengeEntity } from './passkeys/entities.ts';
import {
  KnownNetworkEntity,
  LoginFailureEntity,
  LookalikeKeyEntity,
} from './passwords/entities.ts';
import { SessionEntity, SignInCodeEntity } from './sessions/entities.ts';
import { UserEntity } from './users/entities.ts';

export const identitySchema: ServiceSchema = {
  service: 'identity',
  entities: [
    OutboxEntity,
    IdempotentCallEntity,
    UserEntity,
    RegistrationEntity,
    ResetTokenEntity,
    EmailChangeEntity,
    SessionEntity,
    RateWindowEntity,
    LoginFailureEntity,
    KnownNetworkEntity,
    LookalikeKeyEntity,
    BotEntity,
    BotKeyEntity,
    BotTrustEntity,
    IdentityLinkEntity,
    PendingLinkEntity,
    UnconfirmedProviderEntity,
    SignInCodeEntity,
    MailedCodeEntity,
    DekEntity,
    TotpFactorEntity,
    RecoveryCodeEntity,
    LoginChallengeEntity,
    PasskeyEntity,
    UsedChallengeEntity,
  ],
  migrations: [
    { name: '001-initial', class: Initial },
    { name: '002-accounts', class: Accounts },
    { name: '003-bots', class: Bots },
    { name: '004-federation', class: Federation },
    { name: '005-session-limits', class: SessionLimits },
    { name: '006-confirmed-links', class: ConfirmedLinks },
    { name: '008-idempotency', class: Idempotency },
    { name: '009-confirmed-link-marks', class: ConfirmedLinkMarks },
    { name: '010-session-codes', class: SessionCodes },
    { name: '011-session-assurance', class: SessionAssurance },
    { name: '012-factors', class: Factors },
    { name: '013-passkeys', class: Passkeys },
    { name: '014-mailed-codes', class: MailedCodes },
    { name: '015-pending-links', class: PendingLinks },
    { name: '016-proven-sessions', class: ProvenSessions },
    { name: '017-passkey-providers', class: PasskeyProviders },
    { name: '018-own-assurance', class: OwnAssurance },
    { name: '020-registration-locale', class: RegistrationLocale },
    { name: '021-proven-mailboxes', class: ProvenMailboxes },
    { name: '022-bot-trusts', class: BotTrusts },
    { name: '024-trust-keys', class: TrustKeys },
    { name: '025-support-sessions', class: SupportSessions },
    { name: '026-key-expiry', class: KeyExpiry },
    { name: '027-search', class: Search },
    { name: '028-import', class: Import },
    { name: '029-makers', class: Makers },
    { name: '030-unconfirmed-providers', class: UnconfirmedProviders },
    { name: '031-support-ends', class: SupportEnds },
    { name: '033-lookalike-key', class: LookalikeKey },
    { name: '039-key-ends', class: KeyEnds },
    { name: '040-import-batch', class: ImportBatch },
    { name: '041-sso-recovery', class: SsoRecovery },
  ],
  compatibleFrom: 1,
};
