import { DekEntity } from '@bailiwick/keys';
import { OutboxEntity } from '@bailiwick/outbox';
import { IdempotentCallEntity } from '@bailiwick/pipeline';
import {
  RateWindowEntity,
  RevocationEntity,
  RevocationHolderEntity,
  type ServiceSchema,
} from '@bailiwick/store';
import {
  EmailChangeEntity,
  MailedCodeEntity,
  RegistrationEntity,
  ResetTokenEntity,
} from './account/entities.ts';
import { BotEntity, BotKeyEntity, BotTrustEntity, botTrigrams } from './bots/entities.ts';
import { LoginChallengeEntity, RecoveryCodeEntity, TotpFactorEntity } from './factors/entities.ts';
import {
  IdentityLinkEntity,
  PendingLinkEntity,
  UnconfirmedProviderEntity,
} from './federation/entities.ts';
import { Baseline } from './migrations/042-baseline.ts';
import { Revocations } from './migrations/043-revocations.ts';
import { LockReceipts } from './migrations/044-lock-receipts.ts';
import { BotMakers } from './migrations/045-bot-makers.ts';
import { PasskeyEntity, UsedChallengeEntity } from './passkeys/entities.ts';
import {
  KnownNetworkEntity,
  LoginFailureEntity,
  LookalikeKeyEntity,
} from './passwords/entities.ts';
import { LockReceiptEntity, LockReceiptRowEntity } from './receipts/entities.ts';
import { SessionEntity, SignInCodeEntity } from './sessions/entities.ts';
import { UserEntity, userTrigrams } from './users/entities.ts';

export const identitySchema: ServiceSchema = {
  service: 'identity',
  entities: [
    OutboxEntity,
    IdempotentCallEntity,
    RevocationEntity,
    RevocationHolderEntity,
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
    LockReceiptEntity,
    LockReceiptRowEntity,
  ],
  migrations: [
    { name: '042-baseline', class: Baseline },
    { name: '043-revocations', class: Revocations },
    { name: '044-lock-receipts', class: LockReceipts },
    { name: '045-bot-makers', class: BotMakers },
  ],
  baseline: { version: 32, last: '041-sso-recovery' },
  compatibleFrom: 1,
  // The log of revocations is complete.
  settledFrom: 33,
  trigramIndexes: [userTrigrams, botTrigrams],
};
