import { DekEntity } from '@bailiwick/keys';
import { OutboxEntity } from '@bailiwick/outbox';
import { IdempotentCallEntity } from '@bailiwick/pipeline';
import {
  RateWindowEntity,
  RevocationEntity,
  RevocationHolderEntity,
  type ServiceSchema,
} from '@bailiwick/store';
import { AppConsentEntity, AppSignInEntity } from './app-sign-ins/entities.ts';
import { AppSignOutEntity } from './app-sign-ins/sign-outs/entities.ts';
import { AppEntity, AppLogoEntity } from './apps/entities.ts';
import { DomainEntity, SsoLiftEntity } from './domains/entities.ts';
import { HandledJoinEntity } from './domains/joining/entities.ts';
import { IssuerRecordEntity, SigningKeyEntity } from './issuer/entities.ts';
import { Baseline } from './migrations/033-baseline.ts';
import { Revocations } from './migrations/034-revocations.ts';
import { Grants } from './migrations/035-grants.ts';
import { ProviderReservations } from './migrations/036-provider-reservations.ts';
import { WithdrawnUses } from './migrations/037-withdrawn-uses.ts';
import { AppSignOuts } from './migrations/038-app-sign-outs.ts';
import { AppLocks } from './migrations/039-app-locks.ts';
import { AppSignOutIndexes } from './migrations/040-app-sign-out-indexes.ts';
import { ProviderEntity } from './providers/entities.ts';
import { ProviderReservationEntity } from './providers/reservations/entities.ts';
import { SsoRecoveryCodeEntity } from './requirement/recovery/entities.ts';
import { FlowEntity, UsedAssertionEntity } from './sign-in/entities.ts';

export const ssoSchema: ServiceSchema = {
  service: 'sso',
  entities: [
    OutboxEntity,
    IdempotentCallEntity,
    RevocationEntity,
    RevocationHolderEntity,
    DomainEntity,
    SsoLiftEntity,
    SsoRecoveryCodeEntity,
    HandledJoinEntity,
    ProviderEntity,
    ProviderReservationEntity,
    AppEntity,
    AppLogoEntity,
    DekEntity,
    FlowEntity,
    UsedAssertionEntity,
    RateWindowEntity,
    IssuerRecordEntity,
    SigningKeyEntity,
    AppSignInEntity,
    AppSignOutEntity,
    AppConsentEntity,
  ],
  migrations: [
    { name: '033-baseline', class: Baseline },
    { name: '034-revocations', class: Revocations },
    { name: '035-grants', class: Grants },
    { name: '036-provider-reservations', class: ProviderReservations },
    { name: '037-withdrawn-uses', class: WithdrawnUses },
    { name: '038-app-sign-outs', class: AppSignOuts },
    { name: '039-app-locks', class: AppLocks },
    { name: '040-app-sign-out-indexes', class: AppSignOutIndexes },
  ],
  baseline: { version: 21, last: '032-recovery-codes' },
  compatibleFrom: 1,
  // The log of revocations is complete: earlier versions do not revoke the uses of apps.
  settledFrom: 25,
};
