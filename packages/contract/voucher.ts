import type { Caller } from './caller.ts';

// A provider opens sessions for people, so a change of what identifies them lets its author act as
// them. Until a caller who may grant everything confirms the change, the sessions that the provider
// opens carry a voucher: the principals who answer for it. A session holds at most what each of them
// may grant when the session is used.

/** A principal who answers for a provider. */
export type Voucher = {
  /** user or bot. */
  type: string;
  id: string;
  /** A bot's own tenant. */
  botTenant: string;
  /** What its key or access token was narrowed to; empty = not narrowed. */
  narrowedTo: readonly string[];
};

/** The voucher for a change by this caller, with those who limit the caller's own session. */
export function voucherOf({ type, id, tenant, narrowedTo, voucher }: Caller): string {
  return joinVouchers(voucher, [type, id, type === 'bot' ? tenant : '', ...narrowedTo].join(' '));
}

const linesOf = (voucher: string): string[] => (voucher === '' ? [] : voucher.split('\n'));

/** The voucher of all who answer for one of the two. */
export const joinVouchers = (one: string, other: string): string =>
  [...new Set([...linesOf(one), ...linesOf(other)])].join('\n');

/** The principals of a session's voucher. All of them limit the session. */
export const readVoucher = (voucher: string): Voucher[] =>
  linesOf(voucher).map((line) => {
    const [type = '', id = '', botTenant = '', ...narrowedTo] = line.split(' ');
    return { type, id, botTenant, narrowedTo };
  });
