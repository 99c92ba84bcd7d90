import { type SealedRecord } from '@bailiwick/keys';
import { TotpFactorEntity } from './factors/entities.ts';

/** All sealed columns of identity, for data key rotation. */
export const sealedRecords: readonly SealedRecord[] = [
  { entity: TotpFactorEntity, id: 'id', fields: { secretEnc: 'secret' } },
];
