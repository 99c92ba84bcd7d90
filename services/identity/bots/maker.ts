import type { Caller } from '@bailiwick/contract';
import { type Database, onPool, type Statement } from '@bailiwick/store';

// A directory that uses a key or trust acts with the rights of its maker: the one who created,
// saved or rotated it last.

export type Maker = {
  type: string;
  id: string;
  narrowedTo: string[];
  limitedTo: string;
  /** That of the maker's session (packages/contract/voucher.ts); absent in older rows. */
  voucher?: string;
};

export const makerOf = ({ type, id, narrowedTo, limitedTo, voucher }: Caller): Maker => ({
  type,
  id,
  narrowedTo: [...narrowedTo],
  limitedTo,
  voucher,
});

const makers: Statement<CreatorRow, [tenant: string, id: string]> = {
  name: 'identity.maker',
  text: `select k.maker, k.created_by as "createdBy" from bot_key k where k.tenant = $1 and k.id = $2
         union all
         select t.maker, t.created_by from bot_trust t where t.tenant = $1 and t.id = $2`,
};

type CreatorRow = { maker?: Maker | null | undefined; createdBy: string };

/** The maker of a key or trust; undefined if there is none of this id. */
export async function findMaker(
  database: Database,
  tenant: string,
  id: string,
): Promise<Maker | undefined> {
  const [row] = await onPool(database)(makers, [tenant, id]);
  return row && storedMaker(row);
}

/** The stored maker, or the creator of an older key. */
export const storedMaker = ({ maker, createdBy }: CreatorRow): Maker =>
  maker ?? { type: typeOf(createdBy), id: createdBy, narrowedTo: [], limitedTo: '' };

function typeOf(id: string): string {
  if (id.startsWith('usr_')) return 'user';
  return id.startsWith('bot_') ? 'bot' : 'platform';
}
