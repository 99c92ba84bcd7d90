import { type SealedRecord } from '@bailiwick/keys';
import { IssuerRecordEntity, SigningKeyEntity } from './issuer/entities.ts';
import { ProviderEntity } from './providers/entities.ts';
import { FlowEntity } from './sign-in/entities.ts';

/** All sealed columns of sso, for data key rotation. */
export const sealedRecords: readonly SealedRecord[] = [
  { entity: ProviderEntity, id: 'id', fields: { secretEnc: 'secret' } },
  { entity: FlowEntity, id: 'id', fields: { verifierEnc: 'verifier' } },
  { entity: IssuerRecordEntity, id: 'id', fields: { payloadEnc: 'payload' } },
  { entity: SigningKeyEntity, id: 'id', fields: { keyEnc: 'key' } },
];
