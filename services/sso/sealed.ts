import { type SealedRecord } from '@bailiwick/keys';
import { ProviderEntity } from './providers/entities.ts';
import { FlowEntity } from './sign-in/entities.ts';

/** All sealed columns of sso, for data key rotation. */
export const sealedRecords: readonly SealedRecord[] = [
  { entity: ProviderEntity, id: 'id', fields: { secretEnc: 'secret' } },
  { entity: FlowEntity, id: 'id', fields: { verifierEnc: 'verifier' } },
];
