import { DekEntity } from '@bailiwick/keys';
import { OutboxEntity } from '@bailiwick/outbox';
import { IdempotentCallEntity } from '@bailiwick/pipeline';
import { RateWindowEntity, type ServiceSchema } from '@bailiwick/store';
import { AppConsentEntity, AppSignInEntity } from './app-sign-ins/entities.ts';
import { AppEntity, AppLogoEntity } from './apps/entities.ts';
import { DomainEntity, SsoLiftEntity } from './domains/entities.ts';
import { HandledJoinEntity } from './domains/joining/entities.ts';
import { IssuerRecordEntity, SigningKeyEntity } from './issuer/entities.ts';
import { Initial } from './migrations/001-initial.ts';
import { Limits } from './migrations/002-limits.ts';
import { Domains } from './migrations/003-domains.ts';
import { Providers } from './migrations/004-providers.ts';
import { Joins } from './migrations/005-joins.ts';
import { Idempotency } from './migrations/007-idempotency.ts';
import { Oauth } from './migrations/008-oauth.ts';
import { AssuranceMap } from './migrations/009-assurance-map.ts';
import { SigningKeys } from './migrations/010-signing-keys.ts';
import { Apps } from './migrations/011-apps.ts';
import { Issuer } from './migrations/012-issuer.ts';
import { TokenKeys } from './migrations/013-token-keys.ts';
import { AppSignIns } from './migrations/016-app-sign-ins.ts';
import { AppLogos } from './migrations/017-app-logos.ts';
import { ProviderConfirmation } from './migrations/018-provider-confirmation.ts';
import { StatedGroups } from './migrations/020-stated-groups.ts';
import { RefreshReuse } from './migrations/022-refresh-reuse.ts';
import { Givers } from './migrations/026-givers.ts';
import { KeptFlows } from './migrations/029-kept-flows.ts';
import { MetadataRollover } from './migrations/030-metadata-rollover.ts';
import { RecoveryCodes } from './migrations/032-recovery-codes.ts';
import { ProviderEntity } from './providers/entities.ts';
import { SsoRecoveryCodeEntity } from './requirement/recovery/entities.ts';
import { FlowEntity, UsedAssertionEntity } from './sign-in/entities.ts';

export const ssoSchema: ServiceSchema = {
  service: 'sso',
  entities: [
    OutboxEntity,
    IdempotentCallEntity,
    DomainEntity,
    SsoLiftEntity,
    SsoRecoveryCodeEntity,
    HandledJoinEntity,
    ProviderEntity,
    AppEntity,
    AppLogoEntity,
    DekEntity,
    FlowEntity,
    UsedAssertionEntity,
    RateWindowEntity,
    IssuerRecordEntity,
    SigningKeyEntity,
    AppSignInEntity,
    AppConsentEntity,
  ],
  migrations: [
    { name: '001-initial', class: Initial },
    { name: '002-limits', class: Limits },
    { name: '003-domains', class: Domains },
    { name: '004-providers', class: Providers },
    { name: '005-joins', class: Joins },
    { name: '007-idempotency', class: Idempotency },
    { name: '008-oauth', class: Oauth },
    { name: '009-assurance-map', class: AssuranceMap },
    { name: '010-signing-keys', class: SigningKeys },
    { name: '011-apps', class: Apps },
    { name: '012-issuer', class: Issuer },
    { name: '013-token-keys', class: TokenKeys },
    { name: '016-app-sign-ins', class: AppSignIns },
    { name: '017-app-logos', class: AppLogos },
    { name: '018-provider-confirmation', class: ProviderConfirmation },
    { name: '020-stated-groups', class: StatedGroups },
    { name: '022-refresh-reuse', class: RefreshReuse },
    { name: '026-givers', class: Givers },
    { name: '029-kept-flows', class: KeptFlows },
    { name: '030-metadata-rollover', class: MetadataRollover },
    { name: '032-recovery-codes', class: RecoveryCodes },
  ],
  compatibleFrom: 1,
};
